export { createApiKey, revokeApiKey } from './api-keys.ts'
export { type Applied, applyWorkspaceFile } from './apply.ts'
export { createProvisioner, type Provisioner } from './provisioner.ts'
export { type TriedFlow, tryFlows } from './try-flows.ts'
