import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { Button } from '../components/button.js';
import { isFramed } from '../embedding/host-page.js';

type Message = {
  text: string;
  /** Counts the messages. */
  number: number;
  /** How far below the top it is shown, in pixels. Undefined at the bottom of the window. */
  top: number | undefined;
};

type Announcements = { message: Message; announce: (text: string) => void };

const AnnounceContext = createContext<Announcements>({
  message: { text: '', number: 0, top: undefined },
  announce: () => undefined,
});

/** Shows short messages, such as "Copied.", and lets screen readers say them. A message stays until the next one, or until it is dismissed. */
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
 * Where messages are shown. A modal dialog needs one of its own, because the rest of the page is below its backdrop and
 * hidden from screen readers.
 */
export function AnnouncerRegion() {
  const { message, announce } = useContext(AnnounceContext);
  const [first] = useState(message.number);
  const isShown = message.text !== '' && message.number > first;
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

/** A frame may be higher than the window, and then the bottom of the frame is not visible. */
const belowFocus = () => Math.max(8, (document.activeElement ?? document.body).getBoundingClientRect().bottom + 8);

/** Returns the function that shows a short message. */
export const useAnnounce = () => useContext(AnnounceContext).announce;
