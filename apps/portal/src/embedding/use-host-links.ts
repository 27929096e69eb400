import { useEffect } from 'react';
import { isRecord } from '../data/is-record.js';
import { isFramed, isFromHost, postToHost } from '../session/host-page.js';

type HostLinks = { hasEnded: boolean; resume: (link: string) => Promise<string | undefined> };

/**
 * In a frame, sends `{type: "ringback:session-ended"}` to the host page when the session has ended or a
 * new link is needed, and resumes with
 * the link in the host page's reply, `{type: "ringback:session", url}`.
 */
export function useHostLinks({ hasEnded, resume }: HostLinks): void {
  useEffect(() => {
    if (hasEnded && isFramed) void postToHost({ type: 'ringback:session-ended' });
  }, [hasEnded]);
  useEffect(() => {
    if (!hasEnded || !isFramed) return;
    const onMessage = async (event: MessageEvent<unknown>) => {
      const { data } = event;
      if (!isRecord(data) || data.type !== 'ringback:session' || typeof data.url !== 'string') return;
      if (await isFromHost(event)) void resume(data.url);
    };
    const listener = (event: MessageEvent<unknown>) => void onMessage(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  });
}
