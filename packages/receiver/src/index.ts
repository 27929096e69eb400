export { type Answer, type Fault, faults } from './answer.js';
export { type Certificate, makeCertificate } from './certificate.js';
export { startReceiver, type ReceivedCall, type Receiver, type ReceiverSettings } from './receiver.js';
