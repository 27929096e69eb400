import type { ReactNode } from 'react';

type TileProps = { label: string; value: string; children: ReactNode };

/** A number with its name and a note. Tiles are the children of a `<dl className="tiles">`. */
export function Tile({ label, value, children }: TileProps) {
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd className="tile-value">{value}</dd>
      <dd className="hint">{children || '\u00a0'}</dd>
    </div>
  );
}
