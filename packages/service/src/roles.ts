/** What a process can be: one of them, some, or all at once. `relay` has work only where Kafka is configured. */
export const ROLES = ['command-api', 'query-api', 'projectors', 'consumers', 'relay'] as const

export type Role = (typeof ROLES)[number]

/** A data directory has at most one process with every role. */
export const modeOf = (roles: ReadonlySet<Role>): 'service' | 'roles' => (roles.size === ROLES.length ? 'service' : 'roles')

export const isRole = (text: string): text is Role => ROLES.some((role) => role === text)
