export { type AllowList, isForbiddenAddress, isPrivateName, parseAllowList } from './address.js';
export { checkCallbackUri } from './check-callback-uri.js';
export { passesChallenge } from './passes-challenge.js';
export { defaultCallbackTimeoutMs, defaultRetrySettings } from './specification-defaults.js';
export { type VerificationRequestInput, composeVerificationRequest } from './verification-request.js';
export { type Callback, type CallbackInput, composeCallback, renderUriAndBody } from './compose-callback.js';
export { attemptFields, deliveryFields } from './delivery-fields.js';
export { isDeeperThan } from './is-deeper-than.js';
export { stringifyExactJson, ExactNumber, parseExactJson, type JsonObject, type JsonValue } from './exact-json.js';
export { type ErrorClass, errorClasses, errorClassOf, successStatuses } from './error-class.js';
export {
  type Channel,
  channelOf,
  channels,
  type EventName,
  eventNames,
  platformEventNames,
  type NewEvent,
} from './event.js';
export { eventSchema } from './event-schema.js';
export { withExactPayload } from './exact-payload.js';
export { type EventContent, hasSameContent, idempotencyKey } from './idempotency-key.js';
export { memberTexts } from './scan-json.js';
export { isSuccess, judge, type Outcome, type Verdict } from './judge.js';
export { lintTemplates, placeholdersOf, type Templates, unknownPlaceholders } from './lint-templates.js';
export { type ParsedEvent, parseEvent, parsePayload } from './parse-event.js';
export { placeholderValue } from './placeholder-value.js';
export { noRetries, retryPolicyFor, type RetryPolicy, type RetrySettings } from './retry-policy.js';
export { readRetryAfter } from './retry-after.js';
export { compactHeaders, expandHeaders, type HeadersInput } from './stored-headers.js';
export { type SentRequest, restoreRequest } from './stored-request.js';
export { isStorable } from './storable.js';
export { hasAtMostCharacters } from './has-at-most-characters.js';
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
export { plainBody } from './plain-body.js';
export { parseTemplateValues } from './parse-template-values.js';
export { type EventSample, sampleEvent, type SampleKind, sampleKinds } from './sample-event.js';
