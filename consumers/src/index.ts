export { type RetentionTask, runRetention } from './retention/run-retention.ts'

export { type RunningConsumers, startConsumers } from './start-consumers.ts'
export { createWorkspaceView, type WorkspaceView } from './views/workspace-view.ts'
export { type SweptWallets, sweepWallets } from './wallets/sweep-wallets.ts'
export { backoffFrom } from './webhooks/deliver.ts'
export { webhookDepth } from './webhooks/queue/depth.ts'
export { releaseAllQueues } from './webhooks/queue/statements.ts'
export { type RunningWebhooks, startWebhooks } from './webhooks/start-webhooks.ts'
