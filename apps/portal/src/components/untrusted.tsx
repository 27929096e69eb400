import { printableParts } from '../text/printable.js';

/** A text of unknown origin: always text, in its own direction, with escapes for what cannot be seen. */
export function Untrusted({ text }: { text: string }) {
  return <bdi>{renderParts(text)}</bdi>;
}

/** The parts of a text as React nodes, with the escapes marked. */
export function renderParts(text: string) {
  return printableParts(text).map((part, index) =>
    part.isEscape ? (
      <span className="escape" key={index}>
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}
