import { useEffect } from 'react';
import { isRecord } from '../data/failure.js';

type HostLinks = { hasEnded: boolean; resume: (link: string) => Promise<string | undefined> };

/**
 * In a frame: tells the host page `{type: "ringback:session-ended"}`, and goes on with the link that it answers with,
 * `{type: "ringback:session", url}`. Only origins of PORTAL_FRAME_ANCESTORS can be the host page.
 */
export function useHostLinks({ hasEnded, resume }: HostLinks): void {
  useEffect(() => {
    if (!hasEnded || window.parent === window) return;
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const isLink = source === window.parent && isRecord(data) && data.type === 'ringback:session';
      if (isLink && typeof data.url === 'string') void resume(data.url);
    };
    window.addEventListener('message', onMessage);
    window.parent.postMessage({ type: 'ringback:session-ended' }, '*');
    return () => window.removeEventListener('message', onMessage);
  });
}
