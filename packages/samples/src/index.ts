export { type EventSample, sampleEvent, type SampleKind, sampleKinds } from './sample-event.js';
