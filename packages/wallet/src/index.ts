export { readStatement, type StatementEntry } from './statement.ts'
export { reconcileHolds, type SweepLimits, type Swept, sweepHolds } from './sweep-holds.ts'
export { type Verified, verifyWallet } from './verify-wallet.ts'
export { createWallets, type HoldOrder, type HoldResult, type LowCredits, type Wallets } from './wallets.ts'
