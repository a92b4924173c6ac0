import type { Language } from './language.js';

export type ConstraintKind =
  'NotNull' | 'NotBlank' | 'Size' | 'SizeMin' | 'SizeMax' | 'Min' | 'Max' | 'Pattern' | 'Email';

/** A message that the author of a constraint declares: one for all languages, or one by language with English as the fallback. */
export type OwnMessage = string | Readonly<Partial<Record<Language, string>>>;

/** The texts of this folder: the messages of constraints, and the message for a request without a body. */
type Texts = Readonly<Record<ConstraintKind | 'BodyMissing', string>>;

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    NotNull: 'must not be null',
    NotBlank: 'must not be blank',
    Size: 'size must be between {min} and {max}',
    SizeMin: 'size must be at least {min}',
    SizeMax: 'size must be at most {max}',
    Min: 'must be greater than or equal to {value}',
    Max: 'must be less than or equal to {value}',
    Pattern: 'must match "{pattern}"',
    Email: 'must be an email address',
    BodyMissing: 'a request body is required',
  },
  zh: {
    NotNull: '不能为 null',
    NotBlank: '不能为空',
    Size: '大小必须在 {min} 和 {max} 之间',
    SizeMin: '大小不能小于 {min}',
    SizeMax: '大小不能大于 {max}',
    Min: '必须大于或等于 {value}',
    Max: '必须小于或等于 {value}',
    Pattern: '必须匹配 "{pattern}"',
    Email: '必须是有效的电子邮件地址',
    BodyMissing: '缺少请求体',
  },
  'zh-TW': {
    NotNull: '不得為 null',
    NotBlank: '不得為空白',
    Size: '大小必須介於 {min} 和 {max} 之間',
    SizeMin: '大小不得小於 {min}',
    SizeMax: '大小不得大於 {max}',
    Min: '必須大於或等於 {value}',
    Max: '必須小於或等於 {value}',
    Pattern: '必須符合 "{pattern}"',
    Email: '必須是有效的電子郵件地址',
    BodyMissing: '缺少請求主體',
  },
  ja: {
    NotNull: 'null は許可されていません',
    NotBlank: '空白は許可されていません',
    Size: 'サイズは {min} から {max} の間でなければなりません',
    SizeMin: 'サイズは {min} 以上でなければなりません',
    SizeMax: 'サイズは {max} 以下でなければなりません',
    Min: '{value} 以上の値にしてください',
    Max: '{value} 以下の値にしてください',
    Pattern: '"{pattern}" に一致させてください',
    Email: '有効なメールアドレスを入力してください',
    BodyMissing: 'リクエスト本文が必要です',
  },
  de: {
    NotNull: 'darf nicht null sein',
    NotBlank: 'darf nicht leer sein',
    Size: 'die Größe muss zwischen {min} und {max} liegen',
    SizeMin: 'die Größe muss mindestens {min} sein',
    SizeMax: 'die Größe darf höchstens {max} sein',
    Min: 'muss größer oder gleich {value} sein',
    Max: 'muss kleiner oder gleich {value} sein',
    Pattern: 'muss auf "{pattern}" passen',
    Email: 'muss eine E-Mail-Adresse sein',
    BodyMissing: 'die Anfrage braucht einen Inhalt',
  },
  fr: {
    NotNull: 'ne doit pas être nul',
    NotBlank: 'ne doit pas être vide',
    Size: 'la taille doit être comprise entre {min} et {max}',
    SizeMin: "la taille doit être d'au moins {min}",
    SizeMax: "la taille doit être d'au plus {max}",
    Min: 'doit être supérieur ou égal à {value}',
    Max: 'doit être inférieur ou égal à {value}',
    Pattern: 'doit correspondre à "{pattern}"',
    Email: 'doit être une adresse électronique',
    BodyMissing: 'le corps de la requête est obligatoire',
  },
  es: {
    NotNull: 'no debe ser nulo',
    NotBlank: 'no debe estar vacío',
    Size: 'el tamaño debe estar entre {min} y {max}',
    SizeMin: 'el tamaño debe ser al menos {min}',
    SizeMax: 'el tamaño debe ser como máximo {max}',
    Min: 'debe ser mayor o igual que {value}',
    Max: 'debe ser menor o igual que {value}',
    Pattern: 'debe coincidir con "{pattern}"',
    Email: 'debe ser una dirección de correo electrónico',
    BodyMissing: 'la solicitud necesita un cuerpo',
  },
  ru: {
    NotNull: 'не должно равняться null',
    NotBlank: 'не должно быть пустым',
    Size: 'размер должен находиться в диапазоне от {min} до {max}',
    SizeMin: 'размер должен быть не меньше {min}',
    SizeMax: 'размер должен быть не больше {max}',
    Min: 'должно быть не меньше {value}',
    Max: 'должно быть не больше {value}',
    Pattern: 'должно соответствовать "{pattern}"',
    Email: 'должно быть адресом электронной почты',
    BodyMissing: 'тело запроса обязательно',
  },
};

/** The message of a broken constraint: the declared one where it has the language, else the built-in one. */
export function constraintMessage(
  {
    kind,
    params,
    message,
  }: {
    readonly kind: ConstraintKind | 'BodyMissing';
    readonly params: Readonly<Record<string, string | number>>;
    readonly message: OwnMessage | undefined;
  },
  language: Language,
): string {
  const own = typeof message === 'string' ? message : (message?.[language] ?? message?.en);
  const text = own ?? TEXTS[language][kind];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : whole,
  );
}
