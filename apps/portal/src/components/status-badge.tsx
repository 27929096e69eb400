import { Icon, type IconName } from './badge.js';

export type Tone = 'success' | 'warning' | 'danger' | 'neutral' | 'info';

const icons: Record<Tone, IconName> = {
  success: 'check',
  warning: 'clock',
  danger: 'cross',
  neutral: 'dash',
  info: 'info',
};

/** A badge with the name of a state, an icon and a colour. */
export function StatusBadge({ tone, icon = icons[tone], children }: { tone: Tone; icon?: IconName; children: string }) {
  return (
    <span className={`badge ${tone}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
