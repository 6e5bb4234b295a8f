import type { UserRole } from '@tidings/domain'

/** The roles that a route of the dashboard may want, the least first. An operator may call every route. */
export const DASHBOARD_ROLES = ['member', 'admin', 'owner', 'operator'] as const
export type DashboardRole = (typeof DASHBOARD_ROLES)[number]

/** What a role that is not enough is refused with, by the role that is. */
export const ROLE_REFUSALS = {
  member: 'role_required',
  admin: 'role_required',
  owner: 'owner_required',
  operator: 'operator_required',
} as const

/** Whether somebody of this role may call a route that wants that one. */
export function isEnough(role: UserRole, wanted: DashboardRole): boolean {
  return DASHBOARD_ROLES.indexOf(role) >= DASHBOARD_ROLES.indexOf(wanted)
}
