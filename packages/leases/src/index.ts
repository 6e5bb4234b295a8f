export { leaseHolder } from './lease-holder.ts'
export { Fenced, type Lease, leaseTable, localExpiry } from './lease-table.ts'
export { whileLeased } from './while-leased.ts'
