export { adviceFor, adviceForSkipped, type SkipReason } from './advice.js';
export {
  type Callback,
  type CallbackInput,
  compactHeaders,
  composeCallback,
  defaultCallbackTimeoutMs,
  plainBody,
  renderUriAndBody,
  restoreRequest,
  type SentRequest,
  sign,
} from './callback.js';
export {
  type CallbackAddress,
  checkCallbackUri,
  decodeUserinfo,
  foreignPlaceholder,
  resolveUserinfo,
  splitUserinfo,
  withoutMask,
} from './callback-uri.js';
export { attemptFields, deliveryFields, type DeliveryOutcome, outcomeFields } from './delivery-fields.js';
export {
  type AllowList,
  allowedAddresses,
  isForbiddenAddress,
  isForbiddenHost,
  isForbiddenTunnelHost,
  parseAllowList,
  parseNat64Prefixes,
  parseUrl,
  refusalOf,
} from './egress.js';
export {
  type Channel,
  channelOf,
  channels,
  type EventName,
  eventNames,
  eventSchema,
  hasSameContent,
  idempotencyKey,
  type NewEvent,
  type ParsedEvent,
  parseEvent,
  parsePayload,
  platformEventNames,
} from './event.js';
export {
  ExactNumber,
  hasAtMostCharacters,
  isDeeperThan,
  isStorable,
  type JsonObject,
  type JsonValue,
  memberTexts,
  parseExactJson,
  stringifyExactJson,
  withExactPayload,
} from './json.js';
export {
  createNaming,
  defaultHeaderPrefix,
  defaultNaming,
  defaultProductName,
  defaultUserAgent,
  headerWithPrefix,
  isHeaderPrefix,
  type Naming,
  parseCallbackHeaders,
  type ProductNames,
  rename,
} from './naming.js';
export { hasNoCredentials, parsePortalTheme, type PortalTheme, portalThemeSchema } from './portal-theme.js';
export {
  defaultRetrySettings,
  maxRetryWaitSeconds,
  noRetries,
  retryPolicyFor,
  type RetrySettings,
} from './retry-policy.js';
export { type EventSample, sampleEvent, type SampleKind, sampleKinds } from './sample-event.js';
export {
  checkTemplate,
  hasStrayBraces,
  lintTemplates,
  parseTemplateValues,
  placeholdersOf,
  readTemplate,
  templateText,
  unknownPlaceholders,
} from './template.js';
export {
  type Certificate,
  type ErrorClass,
  errorClasses,
  errorClassOf,
  isSuccess,
  judge,
  type Outcome,
  type Overload,
  overloadOf,
  readRetryAfter,
  successStatuses,
  type Verdict,
} from './verdict.js';
export { checkTrustedCa } from './trusted-ca.js';
export { composeVerificationRequest, passesChallenge } from './verification.js';
