import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  Bell,
  Box,
  Braces,
  Calendar,
  ChartColumn,
  Check,
  ChevronDown,
  CircleUser,
  Columns3,
  Copy,
  Download,
  Ellipsis,
  Filter,
  FolderTree,
  Globe,
  Hash,
  House,
  Image,
  KeyRound,
  Link,
  List,
  Mail,
  Maximize2,
  Menu,
  Package,
  Palette,
  Plug,
  Plus,
  Receipt,
  Search,
  Settings,
  Tags,
  TextAlignStart,
  ToggleLeft,
  Trash2,
  Type,
  Upload,
  Users,
  Webhook,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';

/** The icons of the page, by the names that hints of models use. */
const ICONS = {
  'arrow-down': ArrowDown,
  'arrow-left': ArrowLeft,
  'arrow-right': ArrowRight,
  'arrow-up': ArrowUp,
  bell: Bell,
  box: Box,
  braces: Braces,
  calendar: Calendar,
  chart: ChartColumn,
  check: Check,
  'chevron-down': ChevronDown,
  close: X,
  columns: Columns3,
  copy: Copy,
  download: Download,
  expand: Maximize2,
  filter: Filter,
  folder: FolderTree,
  globe: Globe,
  home: House,
  image: Image,
  key: KeyRound,
  lines: TextAlignStart,
  link: Link,
  list: List,
  mail: Mail,
  menu: Menu,
  more: Ellipsis,
  number: Hash,
  package: Package,
  palette: Palette,
  plug: Plug,
  plus: Plus,
  receipt: Receipt,
  search: Search,
  settings: Settings,
  tags: Tags,
  text: Type,
  toggle: ToggleLeft,
  trash: Trash2,
  upload: Upload,
  user: CircleUser,
  users: Users,
  webhook: Webhook,
} as const satisfies Readonly<Record<string, LucideIcon>>;

export type IconName = keyof typeof ICONS;

export const ICON_NAMES: readonly string[] = Object.keys(ICONS);

function isIconName(name: string): name is IconName {
  return Object.hasOwn(ICONS, name);
}

interface IconProps {
  /** An unknown name, such as one of a model's hints, shows a box. */
  readonly name: string;
}

/** A picture beside a text. Screen readers skip it. */
export function Icon({ name }: IconProps): ReactNode {
  const Picture = isIconName(name) ? ICONS[name] : Box;
  return <Picture className="icon" aria-hidden="true" size={16} strokeWidth={1.6} />;
}
