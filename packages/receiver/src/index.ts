export type { Answer } from './answer.js';
export { type Fault, faults } from './faults.js';
export { type Certificate, makeCertificate } from './certificate.js';
export { startReceiver, type ReceivedCall, type Receiver, type ReceiverSettings } from './receiver.js';
