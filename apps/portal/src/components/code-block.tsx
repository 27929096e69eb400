import { Fragment, memo, useId, useMemo, useState } from 'react';
import { usePreferences } from '../preferences/preferences.js';
import { indentJson, isJson, type JsonToken, tokenizeJson } from '../text/json.js';
import { maskNumbersIn } from '../text/mask.js';
import { formatCount } from '../text/numbers.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { renderParts } from './untrusted.js';

type CodeBlockProps = {
  /** Names the block, such as "Request body". */
  label: string;
  text: string;
  /** Shows phone numbers even if the user masks them. */
  isUnmasked?: boolean;
};

const firstLength = 20_000;
const moreLength = 100_000;
/** Longer JSON is not formatted. */
const maxFormattedLength = 500_000;

/** Shows a text as code. JSON is indented and coloured, other text is shown as it is. Long text is shown in parts. */
export function CodeBlock({ label, text, isUnmasked = false }: CodeBlockProps) {
  const { isMasked } = usePreferences();
  const labelId = useId();
  const [isRaw, setRaw] = useState(false);
  const [length, setLength] = useState(firstLength);
  const json = useMemo(() => text.length <= maxFormattedLength && isStructure(text), [text]);
  const shown = useMemo(() => {
    const formatted = json && !isRaw ? indentJson(text) : text;
    return isMasked && !isUnmasked ? maskNumbersIn(formatted) : formatted;
  }, [text, json, isRaw, isMasked, isUnmasked]);
  const rest = shown.length - length;
  return (
    <div className="code-block">
      <div className="code-bar">
        <span id={labelId}>{label}</span>
        {json && (
          <Button variant="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw
          </Button>
        )}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-labelledby={labelId} dir="ltr">
        <Code text={shown.slice(0, length)} isJson={json} />
      </pre>
      {rest > 0 && (
        <Button variant="quiet" onClick={() => setLength(length + moreLength)}>
          Show more ({formatCount(rest)} more characters)
        </Button>
      )}
    </div>
  );
}

const isStructure = (text: string) => /^\s*[[{]/.test(text) && isJson(text);

/** A code element, with colours if the text is JSON. */
const Code = memo(function Code({ text, isJson: json }: { text: string; isJson: boolean }) {
  if (text === '') return <code className="hint">Empty</code>;
  return <code>{json ? tokenizeJson(text).map(renderToken) : renderParts(text)}</code>;
});

function renderToken({ kind, text }: JsonToken, index: number) {
  if (kind === 'space' || kind === 'punctuation') return <Fragment key={index}>{text}</Fragment>;
  return (
    <span className={`json-${kind}`} key={index}>
      {renderParts(text)}
    </span>
  );
}
