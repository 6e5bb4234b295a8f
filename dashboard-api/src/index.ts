export { type DashboardDependencies, dashboardApi } from './dashboard-api.ts'
