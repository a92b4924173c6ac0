import * as Lucide from 'lucide-react';
import type { ReactNode } from 'react';

/** The icons of the page, by the names that hints of models use. */
const ICONS = {
  'arrow-down': Lucide.ArrowDown,
  'arrow-left': Lucide.ArrowLeft,
  'arrow-right': Lucide.ArrowRight,
  'arrow-up': Lucide.ArrowUp,
  bell: Lucide.Bell,
  bold: Lucide.Bold,
  box: Lucide.Box,
  braces: Lucide.Braces,
  calendar: Lucide.Calendar,
  chart: Lucide.ChartColumn,
  check: Lucide.Check,
  'chevron-down': Lucide.ChevronDown,
  close: Lucide.X,
  columns: Lucide.Columns3,
  copy: Lucide.Copy,
  download: Lucide.Download,
  expand: Lucide.Maximize2,
  filter: Lucide.Filter,
  folder: Lucide.FolderTree,
  globe: Lucide.Globe,
  heading: Lucide.Heading,
  home: Lucide.House,
  image: Lucide.Image,
  italic: Lucide.Italic,
  key: Lucide.KeyRound,
  lines: Lucide.TextAlignStart,
  link: Lucide.Link,
  list: Lucide.List,
  mail: Lucide.Mail,
  menu: Lucide.Menu,
  more: Lucide.Ellipsis,
  number: Lucide.Hash,
  package: Lucide.Package,
  palette: Lucide.Palette,
  plug: Lucide.Plug,
  plus: Lucide.Plus,
  quote: Lucide.Quote,
  receipt: Lucide.Receipt,
  search: Lucide.Search,
  settings: Lucide.Settings,
  steps: Lucide.ListOrdered,
  tags: Lucide.Tags,
  text: Lucide.Type,
  toggle: Lucide.ToggleLeft,
  trash: Lucide.Trash2,
  upload: Lucide.Upload,
  user: Lucide.CircleUser,
  users: Lucide.Users,
  webhook: Lucide.Webhook,
} as const satisfies Readonly<Record<string, Lucide.LucideIcon>>;

export type IconName = keyof typeof ICONS;

function isIconName(name: string): name is IconName {
  return Object.hasOwn(ICONS, name);
}

interface IconProps {
  /** An unknown name, such as one of a model's hints, shows a box. */
  readonly name: string;
}

/** A picture beside a text. Screen readers skip it. */
export function Icon({ name }: IconProps): ReactNode {
  const Picture = isIconName(name) ? ICONS[name] : ICONS.box;
  return <Picture className="icon" aria-hidden="true" size={16} strokeWidth={1.6} />;
}

interface CompactLabelProps extends IconProps {
  readonly children: string;
}

/** The text of a button; on phones its icon, and the text for screen readers. */
export function CompactLabel({ name, children }: CompactLabelProps): ReactNode {
  return (
    <span className="compact-label">
      <Icon name={name} />
      <span>{children}</span>
    </span>
  );
}

interface SignButtonProps {
  readonly icon: IconName;
  /** Its name for screen readers, and the tooltip. */
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onPress: (() => void) | undefined;
}

/** A small button without a text. While it is disabled it keeps the focus. */
export function SignButton({ icon, label, isDisabled = false, onPress }: SignButtonProps): ReactNode {
  return (
    <button
      type="button"
      className="quiet sign"
      aria-label={label}
      title={label}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
