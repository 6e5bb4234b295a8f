export { isRole, ROLES, type Role } from './roles.ts'
export type { Service } from './service.ts'
export { startService } from './start-service.ts'
