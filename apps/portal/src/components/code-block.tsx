import { Fragment, memo, useId, useMemo, useState } from 'react';
import { usePreferences } from '../preferences/preferences.js';
import { indentJson, isJson, type JsonToken, jsonTokens } from '../text/json.js';
import { maskNumbersIn } from '../text/mask.js';
import { formatCount } from '../text/numbers.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { renderParts } from './untrusted.js';

type CodeBlockProps = {
  /** Names the block: "Request body". */
  label: string;
  text: string;
  /** Shows phone numbers although numbers are masked. */
  isUnmasked?: boolean;
};

const firstLength = 20_000;
const moreLength = 100_000;
/** Longer JSON is shown as it is. */
const maxFormattedLength = 500_000;

/** Shows any text as code: JSON with colours and indented, everything else as it is, long text in steps. */
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
            As sent
          </Button>
        )}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-labelledby={labelId} dir="ltr">
        <Code text={shown.slice(0, length)} isJson={json} />
      </pre>
      {rest > 0 && (
        <Button variant="quiet" onClick={() => setLength(length + moreLength)}>
          Show more ({formatCount(rest)} characters are left)
        </Button>
      )}
    </div>
  );
}

const isStructure = (text: string) => /^\s*[[{]/.test(text) && isJson(text);

/** Plain code with the colours of JSON. */
const Code = memo(function Code({ text, isJson: json }: { text: string; isJson: boolean }) {
  if (text === '') return <code className="hint">Empty</code>;
  return <code>{json ? jsonTokens(text).map(renderToken) : renderParts(text)}</code>;
});

function renderToken({ kind, text }: JsonToken, index: number) {
  if (kind === 'space' || kind === 'punctuation') return <Fragment key={index}>{text}</Fragment>;
  return (
    <span className={`json-${kind}`} key={index}>
      {renderParts(text)}
    </span>
  );
}
