export { type AllowList, isForbiddenAddress, isPrivateName, parseAllowList } from './address.js';
export { checkCallbackUri } from './callback-uri.js';
export { challengePassed, type ChallengeInput, composeChallenge } from './challenge.js';
export { type Callback, type CallbackInput, compose, parseScope, render } from './compose.js';
export { isTooDeep } from './depth.js';
export { exactJsonText, JsonNumber, parseExactJson } from './exact-json.js';
export { type ErrorClass, errorClasses, errorClassOf, successStatuses } from './error-class.js';
export {
  bodyOf,
  type Channel,
  channelOf,
  channels,
  type EventName,
  eventNames,
  eventSchema,
  idempotencyKey,
  type ParsedEvent,
  parseEvent,
  parsePayload,
  type PlatformEvent,
} from './event.js';
export { memberSources } from './json-source.js';
export { isSuccess, judge, type Outcome, type Verdict } from './judge.js';
export { lintTemplates, placeholdersOf, type Templates, unknownPlaceholders } from './lint.js';
export { type JsonObject, type JsonValue, lookup } from './path.js';
export { defaultRetrySettings, noRetries, type Policy, policyFor, type RetrySettings } from './policy.js';
export { readRetryAfter } from './retry-after.js';
export { keptHeaders, maskedBearer, sentHeaders, type SentHeadersInput } from './sent-headers.js';
export { type SentRequest, sentRequest } from './sent-request.js';
export { sign } from './signature.js';
export {
  checkTemplate,
  checkUriTemplate,
  encodeQueryValue,
  hasPlaceholders,
  renderBody,
  type Rendered,
  renderText,
  renderUri,
} from './template.js';
