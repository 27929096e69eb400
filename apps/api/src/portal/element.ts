import { defaultProductName, type ProductNames } from '@ringback/rules';

/**
 * The script of `<webhooks-portal src="…">`, a custom element that shows the portal in a frame. The frame fills the
 * element. The portal gets nothing from the host page except the link. When the session has ended, or the link was
 * used, the element dispatches `session-ended`. If the host page then sets a new `src` of the same origin, the portal
 * continues in the same frame, so that nothing typed is lost. The portal sends `portal:height` to change the
 * element's height. Without another PRODUCT_NAME the element is also called `<ringback-portal>`.
 */
export const elementScript = ({ productName }: ProductNames) => `const sheet = new CSSStyleSheet();
sheet.replaceSync(\`
  :host { display: block; position: relative; min-height: 40rem; }
  :host([hidden]) { display: none; }
  iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
\`);

class Portal extends HTMLElement {
  static observedAttributes = ['src'];
  #root = this.attachShadow({ mode: 'closed' });
  #frame;
  #origin;
  #hasEnded = false;
  #onMessage = (event) => this.#receive(event);

  connectedCallback() {
    addEventListener('message', this.#onMessage);
    this.#show();
  }

  disconnectedCallback() {
    removeEventListener('message', this.#onMessage);
  }

  attributeChangedCallback(name, before, after) {
    if (this.isConnected && before !== after) this.#show();
  }

  #show() {
    const url = parse(this.getAttribute('src'));
    const continues = this.#hasEnded && url?.origin === this.#origin;
    this.#hasEnded = false;
    if (continues) return this.#frame.contentWindow.postMessage({ type: 'portal:session', url: url.href }, url.origin);
    this.#origin = url?.origin;
    this.#frame = url && createFrame(url, this.title || 'Webhooks');
    // A new frame, because a link that differs in its fragment only would not load the page again.
    this.#root.adoptedStyleSheets = [sheet];
    this.#root.replaceChildren(...(url ? [this.#frame] : []));
  }

  #receive({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#origin) return;
    if (data?.type === 'portal:height' && data.height > 0) this.style.height = Number(data.height) + 'px';
    if (data?.type !== 'portal:session-ended') return;
    this.#hasEnded = true;
    this.dispatchEvent(new CustomEvent('session-ended', { bubbles: true }));
  }
}

function createFrame(url, title) {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'clipboard-write';
  frame.src = url.href;
  return frame;
}

function parse(text) {
  try {
    const url = new URL(text, location.href);
    return text && /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

customElements.define('webhooks-portal', Portal);
${productName === defaultProductName ? "customElements.define('ringback-portal', class extends Portal {});\n" : ''}`;
