import { printableParts } from '../text/untrusted.js';

/**
 * Shows text of unknown origin: as text, never as markup, in its own direction, with invisible characters as escapes.
 */
export function Untrusted({ text }: { text: string }) {
  return <bdi>{renderParts(text)}</bdi>;
}

/** The parts of a text as React nodes. Escapes are highlighted. */
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
