export { type CreditView, createCreditView } from './credit-view.ts'
export { readStatement, type StatementEntry } from './statement.ts'
export { verifyWallet } from './verify-wallet.ts'
export { createWallets, type LowCredits, type Wallets } from './wallets.ts'
