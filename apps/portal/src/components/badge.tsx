const paths = {
  check: 'M3 8.5l3.2 3.2L13 5',
  clock: 'M8 4v4.2l2.8 1.8M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M3.5 8h9',
  info: 'M8 7.3V12M8 4.2v.6',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  menu: 'M2 4h12M2 8h12M2 12h12',
} as const;

type IconName = keyof typeof paths;

/** A decorative icon: the text beside it has the same meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

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
