import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import { Addresses } from './addresses.tsx'
import { Domain } from './domain.tsx'
import { DomainForm } from './sender-forms.tsx'
import { useSenders } from './senders.api.ts'
import { SmsSenders } from './sms-senders.tsx'

/** What a workspace sends from: domains with the records to publish, addresses on them, and names of text messages. */
export function Component() {
  const { senders: words } = useWords()
  const [isNew, { open, close }] = useDisclosure(false)
  const { data, error, refetch } = useSenders()
  const add = <Button onClick={open}>{words.addDomain}</Button>
  return (
    <Page title={words.title} actions={add}>
      <FormDialog opened={isNew} onClose={close} title={words.addDomain}>
        <DomainForm onClose={close} />
      </FormDialog>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Section title={words.domains}>
            {data.domains.length === 0 && <Empty text={words.empty} action={add} />}
            {data.domains.map((domain) => (
              <Domain key={domain.domain} sender={domain} />
            ))}
          </Section>
          <Addresses addresses={data.addresses} />
          <SmsSenders senders={data.smsSenders} />
        </>
      )}
    </Page>
  )
}
