import { NativeSelect } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { type Campaign, type CampaignFigures, queryOf } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { useCampaignFigures } from '../../ui/campaign-progress.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FoundMessages } from '../../ui/found-messages.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import { COUNTS } from './figures.tsx'

const OUTCOMES = [...COUNTS, 'notSent'] as const

/** The people of a campaign by what became of their messages; the choice stands in the address. */
export function People({ campaign: { id } }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words, profiles } = useWords()
  const slug = useSlug()
  const [search, setSearch] = useSearchParams()
  const { data: figures } = useCampaignFigures(id)
  const chosen = search.get('people') ?? ''
  const [outcome = '', reason = ''] = chosen.split(' ')
  const choose = (people: string): void => setSearch(people === '' ? {} : { people }, { replace: true })
  const query = { campaignId: id, outcome, reason }
  return (
    <Section title={words.people}>
      <NativeSelect
        label={words.outcome}
        value={chosen}
        data={[
          { value: '', label: profiles.any },
          ...OUTCOMES.map((value) => ({ value, label: value === 'notSent' ? words.notSent : words.counts[value] })),
          ...reasonsIn(figures).map((value) => ({ value: `notSent ${value}`, label: `${words.notSent}: ${value}` })),
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
        maw={320}
      />
      <FoundMessages
        key={queryOf(query)}
        query={query}
        slug={slug}
        label={words.people}
        empty={<Empty text={words.noneOfThem} />}
        of="campaign"
      />
    </Section>
  )
}

/** One reason may be that of several outcomes. */
const reasonsIn = (figures: CampaignFigures | undefined): readonly string[] => [
  ...new Set(figures?.notSent.map(({ reason }) => reason) ?? []),
]
