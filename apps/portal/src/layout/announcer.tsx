import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Button } from '../components/button.js';

const AnnounceContext = createContext<(message: string) => void>(() => undefined);

/** Shows short messages, such as "Copied.", and lets screen readers say them. A message stays until the next one, or until it is dismissed. */
export function Announcer({ children }: { children: ReactNode }) {
  const [message, setMessage] = useState({ text: '', number: 0 });
  const announce = useCallback((text: string) => setMessage(({ number }) => ({ text, number: number + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="announcer" role="status">
        {message.text !== '' && (
          <p key={message.number}>
            {message.text}
            <Button variant="quiet" onClick={() => announce('')}>
              Dismiss
            </Button>
          </p>
        )}
      </div>
    </AnnounceContext>
  );
}

/** Returns the function that shows a short message. */
export const useAnnounce = () => useContext(AnnounceContext);
