export { ConfigError, type Environment, loadConfig } from './load-config.ts'
export { publicUrl } from './public-url.ts'
export type { Config } from './schema.ts'
export { ensureSecrets, type Secrets } from './secrets.ts'
