import { useEffect } from 'react';

const maxTimerMs = 2 ** 31 - 1;

/** Calls `setEnded` when the session expires, even if the page makes no requests. */
export function useSessionExpiry(expiresAt: string | undefined, setEnded: (hasEnded: boolean) => void): void {
  useEffect(() => {
    if (expiresAt === undefined) return;
    const ms = new Date(expiresAt).getTime() - Date.now();
    // A wrong clock must not end the session; the next 401 ends it.
    if (!(ms > 0)) return;
    const timer = setTimeout(() => setEnded(true), Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  }, [expiresAt, setEnded]);
}
