/** What a process can be: one of them, some, or all at once. `relay` has work only where Kafka is configured. */
export const ROLES = ['command-api', 'query-api', 'projectors', 'consumers', 'relay'] as const

export type Role = (typeof ROLES)[number]

/** A data directory has at most one process with every role. */
export function modeOf(roles: ReadonlySet<Role>): 'service' | 'roles' {
  return roles.size === ROLES.length ? 'service' : 'roles'
}

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}
