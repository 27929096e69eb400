import { fetchConfig } from '../api/config.js';

/** Whether the page is shown in a frame. */
export const isFramed = window.parent !== window;

/** Whether a message is from the host page, and the host page's origin is in PORTAL_FRAME_ANCESTORS. */
export async function isFromHost({ source, origin }: MessageEvent<unknown>): Promise<boolean> {
  return isFramed && source === window.parent && (await fetchConfig()).frameAncestors.includes(origin);
}

/** Sends a message to the host page if its origin is in PORTAL_FRAME_ANCESTORS. */
export async function postToHost(message: { type: string; height?: number }): Promise<void> {
  const { frameAncestors } = await fetchConfig();
  // Not all browsers give the origin of the host page. The browser drops a message whose target has another origin.
  const known = window.location.ancestorOrigins?.[0];
  const targets = known === undefined ? frameAncestors : frameAncestors.filter((origin) => origin === known);
  for (const target of targets) window.parent.postMessage(message, target);
}

/** In a frame, sends `{type: "portal:height", height}` to the host page each time the height of the page changes. */
export function reportHeight(): void {
  const content = document.getElementById('portal');
  if (!isFramed || !content) return;
  // A height that depends on the frame's height would make the frame grow without end.
  document.documentElement.dataset.framed = '';
  const report = () => void postToHost({ type: 'portal:height', height: Math.ceil(content.offsetHeight) });
  new ResizeObserver(report).observe(content);
}
