export { type Answer, type Fault, faults } from './answer.js';
export { openReceiver, type ReceivedCall, type Receiver } from './receiver.js';
