export { type Answer, type Fault, faults } from './answer.js';
export { type Certificate, makeCertificate } from './certificate.js';
export { openReceiver, type ReceivedCall, type Receiver, type ReceiverSettings } from './receiver.js';
