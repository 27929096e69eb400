import { Fragment, memo, useId, useMemo, useState } from 'react';
import { usePreferences } from '../session/preferences.js';
import { indentJson, isJson, type JsonToken, tokenizeJson } from '../text/json.js';
import { formatCount } from '../text/format.js';
import { maskNumbersIn } from '../text/untrusted.js';
import { useAnnounce } from './announcer.js';
import { Button } from './button.js';
import { renderParts } from './text.js';

type CodeBlockProps = {
  /** Names the block, such as "Request body". */
  label: string;
  text: string;
  /** Shows phone numbers even if the user masks them. */
  isUnmasked?: boolean;
};

const initialLength = 20_000;
const moreLength = 100_000;
const maxFormattedLength = 500_000;

/**
 * Shows a text as code. A JSON object or array of up to 500,000 characters is indented and coloured; other text is
 * shown as it is. Long text is shown in parts.
 */
export function CodeBlock({ label, text, isUnmasked = false }: CodeBlockProps) {
  const { isMasked } = usePreferences();
  const labelId = useId();
  const [isRaw, setRaw] = useState(false);
  const [length, setLength] = useState(initialLength);
  const isStructured = useMemo(() => text.length <= maxFormattedLength && isJsonStructure(text), [text]);
  const shownText = useMemo(() => {
    const formatted = isStructured && !isRaw ? indentJson(text) : text;
    return isMasked && !isUnmasked ? maskNumbersIn(formatted) : formatted;
  }, [text, isStructured, isRaw, isMasked, isUnmasked]);
  const rest = shownText.length - length;
  return (
    <div className="code-block">
      <div className="code-bar">
        <span id={labelId}>{label}</span>
        {isStructured && (
          <Button variant="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw
          </Button>
        )}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-labelledby={labelId} dir="ltr">
        <Code text={shownText.slice(0, length)} isStructured={isStructured} />
      </pre>
      {rest > 0 && (
        <Button variant="quiet" onClick={() => setLength(length + moreLength)}>
          Show more ({formatCount(rest)} characters left)
        </Button>
      )}
    </div>
  );
}

/** Whether a text is a JSON object or array. */
const isJsonStructure = (text: string) => /^\s*[[{]/.test(text) && isJson(text);

/** A code element, with colours if the text is a JSON object or array. */
const Code = memo(function Code({ text, isStructured }: { text: string; isStructured: boolean }) {
  if (text === '') return <code className="hint">Empty</code>;
  return <code>{isStructured ? tokenizeJson(text).map(renderToken) : renderParts(text)}</code>;
});

function renderToken({ kind, text }: JsonToken, index: number) {
  if (kind === 'space' || kind === 'punctuation') return <Fragment key={index}>{text}</Fragment>;
  return (
    <span className={`json-${kind}`} key={index}>
      {renderParts(text)}
    </span>
  );
}

type CopyButtonProps = {
  text: string;
  /** Names the button for screen readers, such as "Copy the request body". */
  label: string;
};

/** A button that copies the original text, without masks and escapes. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const announce = useAnnounce();
  const copy = async () => {
    const isCopied = await copyText(text);
    announce(isCopied ? 'Copied.' : 'The browser blocked the copy. Select the text and copy it yourself.');
  };
  return (
    <Button variant="quiet" aria-label={label} onClick={() => void copy()}>
      Copy
    </Button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For frames and for pages without https, where the clipboard API is not available. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  const parent = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
