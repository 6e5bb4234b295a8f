/** The application name of the connections that projections, consumers and workers use. */
export const WORK = 'tidings-work'
