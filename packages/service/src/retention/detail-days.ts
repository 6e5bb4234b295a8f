import type { Config } from '@tidings/config'
import type { RetentionDays } from '@tidings/consumers'

/** The days for which details inside of events are kept; null for as long as their person. */
export function detailDays({ retention }: Pick<Config, 'retention'>): RetentionDays {
  return { client: retention.clientDetailsDays, content: retention.smallContentDays }
}
