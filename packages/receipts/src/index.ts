export { applyReceipt, type Receipt } from './apply-receipt.ts'
