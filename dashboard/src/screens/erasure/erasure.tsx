import { Button, Group } from '@mantine/core'
import { useParams } from 'react-router'
import type { Erasure } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { proofAddress, receiptAddress, useErasure } from './erasure.api.ts'

/** The receipt of an erasure: who asked, what went, what stays. */
export function Component() {
  const { erasures: words } = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const { data, error, refetch } = useErasure(id)
  return (
    <Page
      title={words.receipt}
      back={{ to: paths.erasures(slug), text: words.title }}
      {...(data && { aside: <CopyId id={data.contactId} />, actions: <Downloads erasure={data} /> })}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Receipt erasure={data} />}
    </Page>
  )
}

function Downloads({ erasure: { contactId, state } }: Readonly<{ erasure: Erasure }>) {
  const { erasures: words, profile } = useWords()
  return (
    <Group gap="xs">
      <Button component="a" variant="default" href={proofAddress(contactId)}>
        {profile.proof}
      </Button>
      {state === 'finished' && (
        <Button component="a" href={receiptAddress(contactId)}>
          {words.download}
        </Button>
      )}
    </Group>
  )
}

function Receipt({ erasure }: Readonly<{ erasure: Erasure }>) {
  const words = useWords()
  const { erasures, messages, profile, locale } = words
  return (
    <>
      <p role="status">{erasure.state === 'finished' ? erasures.isFinished : erasures.isRunning}</p>
      {erasure.waitsFor.length > 0 && (
        <p>
          {erasures.waitsFor} <bdi dir="ltr">{erasure.waitsFor.join(', ')}</bdi>
        </p>
      )}
      <Facts
        items={[
          [messages.status, <Status key="state" word={erasure.state} />],
          [erasures.askedBy, <bdi key="by">{erasure.askedBy}</bdi>],
          [erasures.asked, <Time key="asked" at={erasure.askedAt} />],
          [
            erasures.position,
            <bdi key="position" dir="ltr">
              {erasure.position}
            </bdi>,
          ],
          [erasures.keyDestroyed, <Time key="erased" at={erasure.erasedAt} />],
          [erasures.finished, <Time key="finished" at={erasure.finishedAt} />],
        ]}
      />
      <Section title={erasures.went}>
        <p>{profile.eraseGoes}</p>
        {erasure.cleared.length > 0 && (
          <DataTable label={erasures.went} columns={placesIn(words)} rows={erasure.cleared} rowKey={({ place }) => place} />
        )}
      </Section>
      <Section title={erasures.stays}>
        <p>{profile.eraseStays}</p>
        <Facts
          items={[
            [erasures.consents, erasure.stays.consents.toLocaleString(locale)],
            [messages.title, erasure.stays.messages.toLocaleString(locale)],
          ]}
        />
        <p>{profile.eraseOthers}</p>
      </Section>
    </>
  )
}

const placesIn = ({ erasures: words, locale }: Words): readonly Column<Erasure['cleared'][number]>[] => [
  { key: 'place', header: words.place, cell: ({ place }) => <bdi lang="en">{place}</bdi> },
  { key: 'cleared', header: words.rows, cell: ({ cleared }) => cleared.toLocaleString(locale), numeric: true },
]
