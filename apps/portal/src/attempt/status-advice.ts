/** What happened, and what the owner of the receiver can do. */
export type Advice = { title: string; meaning: string; action: string; isAddressProblem?: boolean };

type Words = Omit<Advice, 'title'>;

const unauthorised: Words = {
  meaning: 'The receiver refused the callback: it does not accept the token.',
  action:
    'Compare the token that the receiver expects with the secret of the webhook. It is in the header Authorization, after "Bearer". If the receiver checks signatures, compare the signing secret, too.',
};
const unavailable: Words = {
  meaning: 'A proxy or load balancer answered, because the application behind it did not.',
  action: 'Check that the application runs and answers in time, then send the callback again.',
};
const rejected: Words = {
  meaning: 'The receiver does not accept the body of the callback.',
  action:
    'Read the response: it often says which field is wrong. Then change the receiver, or the body template of the webhook.',
};

const statuses: Record<number, Words> = {
  400: rejected,
  401: unauthorised,
  403: unauthorised,
  404: {
    meaning: 'The server was reached, but there is nothing at this path.',
    action: 'Check the path of the address, also for capital letters and a slash at its end.',
    isAddressProblem: true,
  },
  405: {
    meaning: 'The receiver does not accept POST at this address.',
    action: 'Enter the address that takes callbacks, or let the receiver accept POST.',
    isAddressProblem: true,
  },
  410: {
    meaning: 'The receiver says that this address is gone for good.',
    action: 'Enter the new address. If there is none, deactivate the webhook.',
    isAddressProblem: true,
  },
  413: {
    meaning: 'The body of the callback is larger than the receiver allows.',
    action: 'Raise the limit of the receiver or of its proxy, or send fewer fields with a body template.',
  },
  415: {
    meaning: 'The receiver does not accept JSON.',
    action: 'Let the receiver accept the content type application/json.',
  },
  422: rejected,
  429: {
    meaning: 'The receiver got more callbacks than it allows.',
    action: 'Raise the limit of the receiver, or set a rate limit for the webhook, then send the callback again.',
  },
  500: {
    meaning: 'The receiver had an error while it worked on the callback.',
    action: 'Look into the log of the receiver at this time. When it is repaired, send the callback again.',
  },
  502: unavailable,
  503: unavailable,
  504: unavailable,
};

const groups: Record<number, Words> = {
  1: { meaning: 'The receiver did not finish its answer.', action: 'Let the receiver answer with 200.' },
  4: {
    meaning: 'The receiver refused the callback.',
    action: 'Read the response: it may say why. Then change the webhook or the receiver.',
  },
  5: {
    meaning: 'The receiver or a proxy in front of it has a problem.',
    action: 'Look into the log of the receiver at this time. When it is repaired, send the callback again.',
  },
};

const other: Words = {
  meaning: 'The receiver answered with a status that HTTP does not have.',
  action: 'Let the receiver answer with 200.',
};

/** Why a status is a failure. */
export function statusAdvice(
  status: number,
  { isSms, location }: { isSms: boolean; location: string | undefined },
): Advice {
  const title = `The receiver answered with the status ${status}`;
  if (status >= 200 && status < 300 && isSms) {
    const meaning = `The receiver accepted the callback, but for SMS only the statuses 200 and 202 count as success, not ${status}.`;
    return { title, meaning, action: 'Let the receiver answer with 200.' };
  }
  if (status >= 300 && status < 400) return redirectAdvice(title, location);
  return { title, ...(statuses[status] ?? groups[Math.floor(status / 100)] ?? other) };
}

const redirectAdvice = (title: string, location: string | undefined): Advice => ({
  title,
  meaning: 'The receiver points to another address. Callbacks do not follow redirects.',
  action:
    location === undefined
      ? 'Enter the final address in the webhook.'
      : `Enter the final address in the webhook. The receiver names ${location}`,
  isAddressProblem: true,
});
