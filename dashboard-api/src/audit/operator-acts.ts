import type { InstallationAct } from '@tidings/http'

/** What operators do to the workspace that the request names, as the installation notes it: the log of the workspace says what exactly. */
export function toWorkspace(act: InstallationAct['act']): InstallationAct {
  return { act, thing: ({ tenant }) => tenant.slug }
}
