export { readStatement, type StatementEntry } from './statement.ts'
export { verifyWallet } from './verify-wallet.ts'
export { createWallets } from './wallets.ts'
