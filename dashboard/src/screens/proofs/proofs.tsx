import { Button } from '@mantine/core'
import { Link } from 'react-router'
import type { WorkspaceProofs } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Code } from '../../ui/code.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { Exports } from './exports.tsx'
import { useProofs, WHOLE_PROOF } from './proofs.api.ts'

/** What the proofs of the workspace rest on, and what left it as one. */
export function Component() {
  const { proofs: words } = useWords()
  const { data, error, refetch } = useProofs()
  return (
    <Page title={words.title} actions={<Link to={paths.verify()}>{words.check}</Link>}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Section title={words.whole}>
            <WholeProof whole={data.whole} />
          </Section>
          <Section title={words.fingerprint}>
            <Code text={data.fingerprint} label={words.characters} />
            <p>{words.fingerprintHelp}</p>
          </Section>
          <Section title={words.heads}>
            <Heads heads={data.heads} />
          </Section>
          <Section title={words.exports}>
            <Exports />
          </Section>
        </>
      )}
    </Page>
  )
}

function WholeProof({ whole }: Pick<WorkspaceProofs, 'whole'>) {
  const { proofs: words } = useWords()
  const slug = useSlug()
  if (whole === 'nothing') return <p>{words.nothing}</p>
  if (whole === 'too_large')
    return (
      <>
        <p>{words.tooLarge}</p>
        <Code text={`tidings consent export --workspace ${slug} --out proof-of-${slug}`} label={words.command} />
      </>
    )
  return (
    <>
      <p>{words.wholeHelp}</p>
      <div>
        <Button component="a" variant="default" href={WHOLE_PROOF}>
          {words.download}
        </Button>
      </div>
    </>
  )
}

const columnsIn = ({ proofs: words, ui, locale }: Words): readonly Column<WorkspaceProofs['heads'][number]>[] => [
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
  { key: 'size', header: words.size, cell: ({ size }) => size.toLocaleString(locale), numeric: true },
  { key: 'root', header: words.root, cell: ({ root }) => <bdi dir="ltr">{root}</bdi> },
  { key: 'anchored', header: words.anchored, cell: ({ anchoredAt }) => (anchoredAt === null ? ui.none : <Time at={anchoredAt} inTable />) },
]

function Heads({ heads }: Pick<WorkspaceProofs, 'heads'>) {
  const words = useWords()
  const { proofs } = words
  if (heads.length === 0) return <p>{proofs.noHead}</p>
  return (
    <>
      <p>{proofs.headsHelp}</p>
      {heads.every(({ anchoredAt }) => anchoredAt === null) && <p>{proofs.noAnchor}</p>}
      <DataTable label={proofs.heads} columns={columnsIn(words)} rows={heads} rowKey={({ size }) => String(size)} />
    </>
  )
}
