export { isRole, ROLES, type Role } from './roles.ts'
export { type Service, startService } from './service.ts'
