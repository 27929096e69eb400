import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { isFramed } from '../session/host-page.js';
import { Button } from './button.js';

type Message = {
  text: string;
  /** The number of messages so far. */
  number: number;
  /** The distance from the top of the window or frame, in pixels. Undefined if the message is at its bottom. */
  top: number | undefined;
};

type Announcements = { message: Message; announce: (text: string) => void };

const AnnounceContext = createContext<Announcements>({
  message: { text: '', number: 0, top: undefined },
  announce: () => undefined,
});

/**
 * Shows short messages, such as "Copied.", which screen readers announce. A message stays until the next one or until
 * the user dismisses it.
 */
export function Announcer({ children }: { children: ReactNode }) {
  const [message, setMessage] = useState<Message>({ text: '', number: 0, top: undefined });
  const announce = useCallback(
    (text: string) =>
      setMessage(({ number }) => ({ text, number: number + 1, top: isFramed ? belowFocus() : undefined })),
    [],
  );
  const announcements = useMemo(() => ({ message, announce }), [message, announce]);
  return (
    <AnnounceContext value={announcements}>
      {children}
      <AnnouncerRegion />
    </AnnounceContext>
  );
}

/**
 * The region that shows the messages. A modal dialog has a region of its own, because the rest of the page is below the
 * backdrop and hidden from screen readers.
 */
export function AnnouncerRegion() {
  const { message, announce } = useContext(AnnounceContext);
  // A new region does not repeat the message that was shown before it.
  const [numberAtMount] = useState(message.number);
  const isShown = message.text !== '' && message.number > numberAtMount;
  return (
    <div
      className="announcer"
      role="status"
      style={message.top === undefined ? {} : { top: message.top, bottom: 'auto' }}
    >
      {isShown && (
        <p key={message.number}>
          {message.text}
          <Button variant="quiet" onClick={() => announce('')}>
            Dismiss
          </Button>
        </p>
      )}
    </div>
  );
}

/** The position below the focused element. In a frame, the bottom may be outside the visible area. */
const belowFocus = () => Math.max(8, (document.activeElement ?? document.body).getBoundingClientRect().bottom + 8);

/** Returns the function that shows a short message. */
export const useAnnounce = () => useContext(AnnounceContext).announce;
