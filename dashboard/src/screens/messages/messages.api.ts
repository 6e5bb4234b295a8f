import { useQuery } from '@tanstack/react-query'
import { type CampaignOption, type Page, queryOf, type TemplateOption } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

/** As many as the filter offers. */
const OFFERED = 100

/** The templates and campaigns that messages can be filtered by. */
export function useSources() {
  const templates = useQuery({
    queryKey: [...keys.templates, 'offered'],
    queryFn: ({ signal }) => client.read<Page<TemplateOption>>(`/dashboard/templates${queryOf({ limit: OFFERED })}`, signal),
  })
  const campaigns = useQuery({
    queryKey: [...keys.campaigns, 'offered'],
    queryFn: ({ signal }) => client.read<Page<CampaignOption>>(`/dashboard/campaigns${queryOf({ limit: OFFERED })}`, signal),
  })
  return { templates: templates.data?.items ?? [], campaigns: campaigns.data?.items ?? [] }
}
