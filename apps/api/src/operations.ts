import { changeOperations } from './changes/operations.js';
import { deliveryOperations } from './deliveries/operations.js';
import { eventOperations } from './events/operations.js';
import { serviceOperations } from './http/server/service-operations.js';
import { pausingOperations } from './pausing/operations.js';
import { portalSessionOperations } from './portal-sessions/operations.js';
import { previewOperations } from './preview/operations.js';
import { replayOperations } from './replays/operations.js';
import { signingOperations } from './signing-secrets/operations.js';
import { statisticsOperations } from './statistics/operations.js';
import { subscriptionOperations } from './subscriptions/operations.js';
import { testCallOperations } from './test-calls/operations.js';
import { tokenOperations } from './tokens/operations.js';
import { verificationOperations } from './verification/operations.js';
import { webhookOperations } from './webhooks/operations.js';

/** All endpoints, in the order of the OpenAPI document. A test compares them with the mounted routes. */
export const operations = [
  ...webhookOperations,
  ...pausingOperations,
  ...verificationOperations,
  ...signingOperations,
  ...testCallOperations,
  ...previewOperations,
  ...subscriptionOperations,
  ...deliveryOperations,
  ...replayOperations,
  ...changeOperations,
  ...tokenOperations,
  ...portalSessionOperations,
  ...statisticsOperations,
  ...eventOperations,
  ...serviceOperations,
];
