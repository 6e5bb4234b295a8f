// Written by `npm run snapshots` from the OpenAPI document: do not edit.
export interface paths {
    "/api/v1/public/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List profiles */
        get: operations["profiles.list"];
        /** Create a profile, or change the one that has the email or phone */
        put: operations["profiles.upsert"];
        /** Create a profile */
        post: operations["profiles.create"];
        delete?: never;
        options?: never;
        head?: never;
        /** Change the profile that has an email */
        patch: operations["profiles.updateByEmail"];
        trace?: never;
    };
    "/api/v1/public/profiles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a profile */
        get: operations["profiles.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a profile */
        patch: operations["profiles.update"];
        trace?: never;
    };
    "/api/v1/public/profiles/blacklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suppress a contact on a channel */
        post: operations["profiles.blacklist"];
        /** Lift every suppression of a contact on a channel */
        delete: operations["profiles.liftBlacklist"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/messages/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a transactional email */
        post: operations["messages.sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/messages/sms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a transactional text message */
        post: operations["messages.sendSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a one-time passcode */
        post: operations["otp.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify a one-time passcode */
        post: operations["otp.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report what a contact did: a custom event */
        post: operations["events.ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/store-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an event of a connected store, a review or a loyalty programme
         * @description Authenticated by `X-Sender-Tenant` and `X-Connector-Secret`, the secret of a connector of the workspace file, or by the session of a user.
         */
        post: operations["storeEvents.report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tags */
        get: operations["tags.list"];
        put?: never;
        /** Create a tag */
        post: operations["tags.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/lists/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add contacts to a static list */
        post: operations["lists.addMembers"];
        /** Remove contacts from a static list */
        delete: operations["lists.removeMembers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/lists/{id}/members/{contactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove one contact from a static list */
        delete: operations["lists.removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhook endpoints */
        get: operations["webhooks.list"];
        put?: never;
        /** Create a webhook endpoint; the answer shows its signing secret, once */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a webhook endpoint, its secret and what waits for it */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register a browser for web push, which is consent to it */
        post: operations["push.register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Subscribe a visitor of an allowed origin */
        post: operations["forms.subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell the workspace of the key */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/profiles/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the profile that has an email */
        get: operations["profiles.lookup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List messages with their status */
        get: operations["messages.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the status of a message */
        get: operations["messages.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the templates of the library */
        get: operations["templates.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/templates/{id}/merge-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the merge tags of a template */
        get: operations["templates.mergeFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/sender-addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the addresses that may be sent from */
        get: operations["senderAddresses.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/sms-sender-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the SMS sender IDs that may be used */
        get: operations["smsSenderIds.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the custom fields */
        get: operations["customFields.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event catalogue */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the campaigns */
        get: operations["campaigns.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the lists with the number of their members */
        get: operations["lists.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/public-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell the key that browsers subscribe to web push with */
        get: operations["push.publicKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "order.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An order was placed or paid. */
        post: operations["deliver.order.completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An order was refunded, in full or in part. */
        post: operations["deliver.order.refunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.fulfilled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** All lines of an order were fulfilled. */
        post: operations["deliver.order.fulfilled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.partially_fulfilled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Some lines of an order were fulfilled. */
        post: operations["deliver.order.partially_fulfilled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An order was cancelled. */
        post: operations["deliver.order.cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "shipment.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A shipment was handed to the carrier. */
        post: operations["deliver.shipment.confirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "shipment.out_for_delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A shipment is out for delivery. */
        post: operations["deliver.shipment.out_for_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "shipment.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A shipment was delivered. */
        post: operations["deliver.shipment.delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "checkout.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A checkout was started. */
        post: operations["deliver.checkout.started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "cart.abandoned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A cart was left alone for an hour. */
        post: operations["deliver.cart.abandoned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact was created, in any way. */
        post: operations["deliver.contact.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A field, tag, property or consent of a contact changed. */
        post: operations["deliver.contact.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.unsubscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact left a channel. */
        post: operations["deliver.contact.unsubscribed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "list.subscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact was added to a static list. */
        post: operations["deliver.list.subscribed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "list.unsubscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact was removed from a static list. */
        post: operations["deliver.list.unsubscribed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A message of a campaign was sent to a contact. */
        post: operations["deliver.campaign.sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A tracked mail was opened for the first time. */
        post: operations["deliver.email.opened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.clicked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A link of a tracked mail was followed. */
        post: operations["deliver.email.clicked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A text message was delivered. */
        post: operations["deliver.sms.delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A text message failed. */
        post: operations["deliver.sms.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "review.request_ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** It is time to ask for a review. */
        post: operations["deliver.review.request_ready"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "review.submitted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A review was submitted. */
        post: operations["deliver.review.submitted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "review.question": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A question was asked. */
        post: operations["deliver.review.question"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "review.answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A question was answered. */
        post: operations["deliver.review.answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "loyalty.points_earned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact earned points. */
        post: operations["deliver.loyalty.points_earned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "loyalty.points_expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Points of a contact will expire. */
        post: operations["deliver.loyalty.points_expiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "loyalty.tier_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact moved to another tier. */
        post: operations["deliver.loyalty.tier_changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "loyalty.redemption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact redeemed a reward. */
        post: operations["deliver.loyalty.redemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "loyalty.referral": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A contact referred somebody. */
        post: operations["deliver.loyalty.referral"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The provider took a mail. */
        post: operations["deliver.email.sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mail was delivered. */
        post: operations["deliver.email.delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mail bounced. */
        post: operations["deliver.email.bounced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The recipient called a mail spam. */
        post: operations["deliver.email.complained"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mail was not sent. */
        post: operations["deliver.email.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mail was not sent, because its recipient is suppressed. */
        post: operations["deliver.email.suppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The provider took a text message. */
        post: operations["deliver.sms.sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A text message bounced. */
        post: operations["deliver.sms.bounced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The recipient complained of a text message. */
        post: operations["deliver.sms.complained"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sms.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A text message was not sent, because its recipient is suppressed. */
        post: operations["deliver.sms.suppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The push services took a notification. */
        post: operations["deliver.push.sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A notification was delivered. */
        post: operations["deliver.push.delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A notification bounced. */
        post: operations["deliver.push.bounced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The recipient complained of a notification. */
        post: operations["deliver.push.complained"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A notification was not sent. */
        post: operations["deliver.push.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "push.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A notification was not sent, because its recipient is suppressed. */
        post: operations["deliver.push.suppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    custom: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A custom event was ingested. It is delivered under its own name. */
        post: operations["deliver.custom"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Contacts to put on a list; at least one. */
        AddMembersBody: {
            /** @description Addresses; an unknown one makes a contact. */
            emails?: string[];
            /** @description UUIDs of existing contacts. */
            contactIds?: string[];
        };
        /** @description A contact and a channel; `email` or `contactId` is needed. */
        BlacklistBody: {
            /** @description The address of the contact. */
            email?: string;
            /**
             * Format: uuid
             * @description The UUID of the contact; wins over `email` where both are sent.
             */
            contactId?: string;
            /** @description What is suppressed, or no longer. */
            channel: components["schemas"]["BlacklistChannel"];
        };
        /**
         * @description What is suppressed.
         * @enum {string}
         */
        BlacklistChannel: "email" | "sms" | "both";
        /**
         * @description What a campaign is sent by.
         * @enum {string}
         */
        CampaignChannel: "email" | "sms";
        /** @description A campaign, as an entry of a picker. */
        CampaignOption: {
            /**
             * Format: uuid
             * @description The UUID of the campaign.
             */
            value: string;
            /** @description The name of the campaign. */
            label: string;
            /** @description What the campaign is sent by. */
            channel: components["schemas"]["CampaignChannel"];
            /** @description Where the campaign is in its life. */
            status: components["schemas"]["CampaignStatus"];
        };
        /** @description One page of CampaignOption records. */
        CampaignOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["CampaignOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description CampaignOptionPage, in the envelope of every success. */
        CampaignOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["CampaignOptionPage"];
        };
        /** @description A message of a campaign that was sent. */
        CampaignSentData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
            /** @description The id that the provider gave the message, or null. */
            providerMessageId: string | null;
            /**
             * Format: uuid
             * @description The UUID of the campaign.
             */
            campaignId: string;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        CampaignSentDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["CampaignSentEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["CampaignSentData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        CampaignSentEventName: "campaign.sent";
        /**
         * @description Where a campaign is in its life.
         * @enum {string}
         */
        CampaignStatus: "draft" | "scheduled" | "sending" | "sent" | "paused" | "cancelled" | "failed";
        /**
         * @description The channel of a consent.
         * @enum {string}
         */
        ConsentChannel: "email" | "sms";
        /**
         * @description Whether a contact agreed to be written to on a channel.
         * @enum {string}
         */
        ConsentState: "subscribed" | "unsubscribed" | "never_subscribed" | "cleaned";
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        ContactDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["ContactEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["ContactEventData"];
        };
        /** @description The contact as it was after the event. */
        ContactEventData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            id: string;
            /** @description The address, or null. */
            email: string | null;
            /** @description The number in E.164, or null. */
            phone: string | null;
            /** @description The first name, or null. */
            firstName: string | null;
            /** @description The last name, or null. */
            lastName: string | null;
            /** @description The tags on the contact. */
            tags: string[];
            /** @description The consent to email. */
            emailConsent: components["schemas"]["ConsentState"];
            /** @description The consent to text messages. */
            smsConsent: components["schemas"]["ConsentState"];
            /**
             * Format: date-time
             * @description When the contact was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the contact changed last.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        ContactEventName: "contact.created" | "contact.updated";
        /** @description The contact as it was after the event, and the channel that it left. */
        ContactUnsubscribedData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            id: string;
            /** @description The address, or null. */
            email: string | null;
            /** @description The number in E.164, or null. */
            phone: string | null;
            /** @description The first name, or null. */
            firstName: string | null;
            /** @description The last name, or null. */
            lastName: string | null;
            /** @description The tags on the contact. */
            tags: string[];
            /** @description The consent to email. */
            emailConsent: components["schemas"]["ConsentState"];
            /** @description The consent to text messages. */
            smsConsent: components["schemas"]["ConsentState"];
            /**
             * Format: date-time
             * @description When the contact was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the contact changed last.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description The channel that the contact left. */
            channel: components["schemas"]["UnsubscribedChannel"];
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        ContactUnsubscribedDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["ContactUnsubscribedEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["ContactUnsubscribedData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        ContactUnsubscribedEventName: "contact.unsubscribed";
        /**
         * @description Whether the content is in the request or in a template.
         * @enum {string}
         */
        ContentMode: "manual" | "template";
        /** @description A new tag. */
        CreateTagBody: {
            /** @description The name, 1 to 60 characters after trimming, unique in the workspace. */
            name: string;
            /** @description The colour; none where it is left out. */
            color?: components["schemas"]["TagColor"];
        };
        /** @description A new webhook endpoint. */
        CreateWebhookBody: {
            /** @description An HTTPS URL on the default port, whose host resolves to public addresses only. */
            url: string;
            /** @description The names to subscribe; only `*` means every event. */
            events: string[];
            /** @description A label for people. */
            label?: string;
        };
        /** @description A new endpoint with its secret, which is shown this once. */
        CreatedWebhookEndpoint: {
            /**
             * Format: uuid
             * @description The UUID of the endpoint.
             */
            id: string;
            /** @description The label from its creation, or null. */
            label: string | null;
            /** @description Where deliveries go. */
            url: string;
            /** @description The names that the endpoint subscribed; only `*` means every event. */
            events: string[];
            /** @description False while the endpoint is paused. */
            active: boolean;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             */
            createdAt: string;
            /** @description The key of the signatures of deliveries: 64 lower-case hex characters. */
            signingSecret: string;
        };
        /** @description CreatedWebhookEndpoint, in the envelope of every success. */
        CreatedWebhookEndpointEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["CreatedWebhookEndpoint"];
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        CustomDelivery: {
            /** @description The name of the event. */
            event: string;
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["CustomEventData"];
        };
        /** @description A custom event, as it was ingested. */
        CustomEventData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What was ingested. */
            properties: components["schemas"]["JsonObject"];
        };
        /** @description One of the values that a custom field allows. */
        CustomFieldChoice: {
            /** @description What a person reads. */
            label: string;
            /** @description What is stored. */
            value: string;
        };
        /**
         * @description What a custom field holds.
         * @enum {string}
         */
        CustomFieldKind: "text" | "number" | "date" | "boolean" | "select" | "multiSelect" | "url" | "list";
        /** @description A custom field of the workspace, as an entry of a picker. */
        CustomFieldOption: {
            /**
             * Format: uuid
             * @description The UUID of the custom field.
             */
            value: string;
            /** @description What a person reads. */
            label: string;
            /** @description What the field holds. */
            kind: components["schemas"]["CustomFieldKind"];
            /** @description The name of the field inside a profile's `customProperties`. */
            key: string;
            /** @description The values of a `select` or `multiSelect`, else null. */
            allowedValues: string[] | null;
            /** @description The same values with labels; empty where there are none. */
            options: components["schemas"]["CustomFieldChoice"][];
        };
        /** @description One page of CustomFieldOption records. */
        CustomFieldOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["CustomFieldOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description CustomFieldOptionPage, in the envelope of every success. */
        CustomFieldOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["CustomFieldOptionPage"];
        };
        /** @description A click on a link of a tracked mail. */
        EmailClickedData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
            /** @description Where the link led, as the mail had it. */
            url: string;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        EmailClickedDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["EmailClickedEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["EmailClickedData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        EmailClickedEventName: "email.clicked";
        /** @description The first open of a tracked mail. */
        EmailOpenedData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        EmailOpenedDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["EmailOpenedEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["EmailOpenedData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        EmailOpenedEventName: "email.opened";
        /**
         * @description What is known about an address.
         * @enum {string}
         */
        EmailValidationState: "unknown" | "valid" | "risky" | "invalid";
        /**
         * @description Whether an event has a contact.
         * @enum {string}
         */
        EventIngestStatus: "ok" | "no_contact";
        /** @description What became of an event. */
        EventIngested: {
            /** @description `no_contact` where no contact could be found or made. */
            status: components["schemas"]["EventIngestStatus"];
            /** @description How many flows the contact entered by this event. */
            enrolled: number;
            /**
             * Format: uuid
             * @description The UUID of the contact; null where there is none.
             */
            contactId: string | null;
            /** @description Whether the event made the contact. */
            created: boolean;
        };
        /** @description EventIngested, in the envelope of every success. */
        EventIngestedEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["EventIngested"];
        };
        /** @description An entry of the event catalogue. */
        EventItem: {
            /** @description The name: of a system event for `events` of a webhook endpoint, of a custom event for event ingest. */
            value: string;
            /** @description The name that a person reads; of a system event the same as `value`. */
            label: string;
            /** @description `system` is built in, `custom_event` was seen in this workspace. */
            kind: components["schemas"]["EventKind"];
            /** @description Only of custom events: the names of properties that were seen or declared. */
            properties?: string[];
        };
        /** @description One page of EventItem records. */
        EventItemPage: {
            /** @description The records of the page. */
            items: components["schemas"]["EventItem"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description EventItemPage, in the envelope of every success. */
        EventItemPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["EventItemPage"];
        };
        /**
         * @description Whether an event is built in, or of this workspace.
         * @enum {string}
         */
        EventKind: "system" | "custom_event";
        /**
         * @description Why a message was not sent or not delivered; null where nothing went wrong.
         * @enum {string}
         */
        FailureReason: "hard_bounce" | "soft_bounce" | "invalid_address" | "global_blocklist" | "insufficient_credits" | "sender_id_not_approved" | "from_domain_not_verified" | "provider_rejected" | "provider_unavailable" | "undeliverable" | "expired" | "template_render_failed" | "no_consent" | "frequency_cap" | "quiet_hours" | "campaign_cancelled" | "spam_complaint" | "push_endpoint_gone" | "sms_stop" | "list_cleanup" | "address_changed";
        /** @description A custom event: something that a contact did. */
        IngestEventBody: {
            /** @description The name of the event; flows that wait for it enrol the contact. */
            event: string;
            /**
             * Format: uuid
             * @description The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made.
             */
            contactId?: string;
            /**
             * Format: email
             * @description The address by which the contact is found or made.
             */
            email?: string;
            /** @description The number by which the contact is found or made. */
            phone?: string;
            /** @description The first name of a contact that the event makes. */
            firstName?: string;
            /** @description The last name of a contact that the event makes. */
            lastName?: string;
            /** @description What happened, as the client says it; about 8 KB at most. Flow templates have its keys as merge tags. */
            properties?: components["schemas"]["JsonObject"];
        };
        /** @description A JSON object whose keys are the client's own. */
        JsonObject: {
            [key: string]: unknown;
        };
        /** @description A list of contacts, also called a segment. */
        List: {
            /**
             * Format: uuid
             * @description The UUID of the list.
             */
            id: string;
            /** @description The name of the list. */
            name: string;
            /** @description Only the members of a `static` list can be changed. */
            type: components["schemas"]["ListType"];
            /** @description How many members the list has; a cached count. */
            profiles: number;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        ListDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["ListEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["ListEventData"];
        };
        /** @description A contact and a static list. */
        ListEventData: {
            /**
             * Format: uuid
             * @description The UUID of the list.
             */
            listId: string;
            /** @description The name of the list. */
            listName: string;
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        ListEventName: "list.subscribed" | "list.unsubscribed";
        /** @description One page of List records. */
        ListPage: {
            /** @description The records of the page. */
            items: components["schemas"]["List"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description ListPage, in the envelope of every success. */
        ListPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ListPage"];
        };
        /**
         * @description Whether members are added one by one, or by a rule.
         * @enum {string}
         */
        ListType: "static" | "dynamic";
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        LoyaltyDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["LoyaltyEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["LoyaltyEventData"];
        };
        /** @description A step in a loyalty programme. What the vendor left out is null. */
        LoyaltyEventData: {
            /** @description The vendor of the programme. */
            vendor: string | null;
            /** @description The points. */
            points: number | null;
            /** @description The tier. */
            tier: string | null;
            /** @description The code of the reward. */
            rewardCode: string | null;
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        LoyaltyEventName: "loyalty.points_earned" | "loyalty.points_expiring" | "loyalty.tier_changed" | "loyalty.redemption" | "loyalty.referral";
        /** @description The workspace that the key belongs to, and the version of the API. */
        Me: {
            /** @description The workspace. */
            tenant: components["schemas"]["Tenant"];
            /** @description The version of the API. */
            apiVersion: string;
        };
        /** @description Me, in the envelope of every success. */
        MeEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Me"];
        };
        /** @description Members that were added. */
        MembersAdded: {
            /** @description How many contacts this call added. */
            added: number;
            /** @description How many members the list has after the call. */
            count: number;
        };
        /** @description MembersAdded, in the envelope of every success. */
        MembersAddedEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MembersAdded"];
        };
        /** @description The members of a list. */
        MembersCount: {
            /** @description How many members the list has after the call. */
            count: number;
        };
        /** @description MembersCount, in the envelope of every success. */
        MembersCountEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MembersCount"];
        };
        /** @description Members that were removed. */
        MembersRemoved: {
            /** @description How many contacts this call removed. */
            removed: number;
            /** @description How many members the list has after the call. */
            count: number;
        };
        /** @description MembersRemoved, in the envelope of every success. */
        MembersRemovedEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MembersRemoved"];
        };
        /** @description The merge tags of a template. */
        MergeFields: {
            /** @description The keys of the merge tags, sorted, each once. */
            items: string[];
        };
        /** @description MergeFields, in the envelope of every success. */
        MergeFieldsEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MergeFields"];
        };
        /** @description What became of a message. */
        Message: {
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            id: string;
            /** @description What the message is sent by. */
            channel: components["schemas"]["MessageChannel"];
            /** @description Where the message is in its life. */
            status: components["schemas"]["MessageStatus"];
            /** @description Why the message was not sent or not delivered; null where nothing went wrong. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /** @description The id that the provider gave the message, once it accepted it; else null. */
            providerMessageId: string | null;
            /**
             * Format: date-time
             * @description When the send was accepted.
             */
            queuedAt: string;
            /**
             * Format: date-time
             * @description When the provider accepted the message, or null.
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @description When the provider reported the delivery, or null.
             */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description When the status changed last.
             */
            updatedAt: string;
        };
        /** @description A send that was accepted for processing. Accepted is not delivered. */
        MessageAccepted: {
            /**
             * Format: uuid
             * @description The UUID of the message: read its status under it.
             */
            messageId: string;
        };
        /** @description MessageAccepted, in the envelope of every success. */
        MessageAcceptedEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MessageAccepted"];
        };
        /**
         * @description What a message is sent by.
         * @enum {string}
         */
        MessageChannel: "email" | "sms" | "push" | "voice" | "whatsapp";
        /** @description Message, in the envelope of every success. */
        MessageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Message"];
        };
        /** @description A message whose status moved (M64). */
        MessageOutcomeData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
            /** @description The id that the provider gave the message; null before it took it. */
            providerMessageId: string | null;
            /** @description Why, as `failureReason` of the message says; absent where it has none. */
            reason?: string;
            /**
             * Format: uuid
             * @description The UUID of the campaign that it is of; absent where it is of none.
             */
            campaignId?: string;
            /**
             * Format: uuid
             * @description The UUID of the flow that it is of; absent where it is of none.
             */
            flowId?: string;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        MessageOutcomeDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["MessageOutcomeEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["MessageOutcomeData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        MessageOutcomeEventName: "email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.failed" | "email.suppressed" | "sms.sent" | "sms.bounced" | "sms.complained" | "sms.suppressed" | "push.sent" | "push.delivered" | "push.bounced" | "push.complained" | "push.failed" | "push.suppressed";
        /** @description One page of Message records. */
        MessagePage: {
            /** @description The records of the page. */
            items: components["schemas"]["Message"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description MessagePage, in the envelope of every success. */
        MessagePageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MessagePage"];
        };
        /**
         * @description Where a message is in its life.
         * @enum {string}
         */
        MessageStatus: "queued" | "sent" | "delivered" | "bounced" | "complained" | "failed" | "suppressed" | "skipped";
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        OrderDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["OrderEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["OrderEventData"];
        };
        /** @description An order, a shipment, a checkout or a cart. What the store left out is null. */
        OrderEventData: {
            /** @description The store's id of the record. */
            externalId: string | null;
            /** @description The id of the order. */
            orderId: string | null;
            /** @description The amount, in `currency`; of a refund, what was refunded. */
            amount: number | null;
            /** @description The currency. */
            currency: string | null;
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        OrderEventName: "order.completed" | "order.refunded" | "order.fulfilled" | "order.partially_fulfilled" | "order.cancelled" | "shipment.confirmed" | "shipment.out_for_delivery" | "shipment.delivered" | "checkout.started" | "cart.abandoned";
        /**
         * @description How a passcode reaches its person.
         * @enum {string}
         */
        OtpChannel: "sms" | "voice";
        /**
         * @description Why a passcode was not verified.
         * @enum {string}
         */
        OtpFailure: "expired_or_unknown" | "code_mismatch" | "too_many_attempts";
        /** @description A passcode that was sent. */
        OtpSent: {
            /** @description What the code is verified under; an opaque text. */
            verificationId: string;
            /** @description How the passcode was sent. */
            channel: components["schemas"]["OtpChannel"];
            /** @description How long the code is valid: always 300 seconds. */
            expiresInSeconds: number;
            /** @description How many segments the message has. */
            segments: number;
        };
        /** @description OtpSent, in the envelope of every success. */
        OtpSentEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OtpSent"];
        };
        /** @description Whether the code was the right one. A match consumes it. */
        OtpVerification: {
            /** @description Whether the code was the right one. */
            verified: boolean;
            /** @description Why not; only there where `verified` is false. */
            reason?: components["schemas"]["OtpFailure"];
        };
        /** @description OtpVerification, in the envelope of every success. */
        OtpVerificationEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OtpVerification"];
        };
        /** @description A change of the contact that has an address. What is not sent is left as it is. */
        PatchByEmailBody: {
            /** @description The address by which the contact is found; it is not rewritten. */
            email: string;
            /**
             * Format: email
             * @description The address that the contact has afterwards.
             */
            newEmail?: string;
            /** @description The number; stored in E.164. */
            phone?: string;
            /** @description The first name. */
            firstName?: string;
            /** @description The last name. */
            lastName?: string;
            /** @description The time zone: a name of IANA, or an offset such as `+03:00`; empty for none. */
            timezone?: string;
            /** @description The language. */
            locale?: string;
            /** @description The consent to marketing by email, as it is now. */
            emailConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by text message, as it is now. */
            smsConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by web push, as it is now. */
            pushConsent?: components["schemas"]["ConsentState"];
            /** @description Free texts on the contact; they replace those that it has. */
            tags?: string[];
            /** @description What else the client stores about the contact, under keys of its own. */
            customProperties?: components["schemas"]["JsonObject"];
            /** @description A free text for people; null removes it. */
            notes?: string | null;
            /** @description Merged into `customProperties`. */
            city?: string;
            /** @description Merged into `customProperties`. */
            country?: string;
            /** @description Merged into `customProperties`. */
            stateProvince?: string;
            /** @description Merged into `customProperties`. */
            zip?: string;
            /** @description Merged into `customProperties`. */
            address1?: string;
            /** @description Merged into `customProperties`. */
            address2?: string;
            /** @description Merged into `customProperties`. */
            dateOfBirth?: string;
            /** @description Merged into `customProperties`. */
            gender?: string;
            /** @description Merged into `customProperties`. */
            jobTitle?: string;
        };
        /**
         * @description The plan of a workspace.
         * @enum {string}
         */
        Plan: "free" | "starter" | "pro" | "enterprise";
        /** @description A contact of the workspace. What was never set is null. */
        Profile: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            id: string;
            /** @description The address, in lower case. */
            email: string | null;
            /** @description The number, in E.164. */
            phone: string | null;
            /** @description The first name. */
            firstName: string | null;
            /** @description The last name. */
            lastName: string | null;
            /** @description The time zone, as it was sent. */
            timezone: string | null;
            /** @description The language, as it was sent. */
            locale: string | null;
            /** @description Whether the contact agreed to marketing by email. */
            emailConsent: components["schemas"]["ConsentState"];
            /** @description Whether the contact agreed to marketing by text message. */
            smsConsent: components["schemas"]["ConsentState"];
            /** @description Whether the contact agreed to marketing by web push. */
            pushConsent: components["schemas"]["ConsentState"];
            /**
             * Format: date-time
             * @description When the consent for email was recorded last.
             */
            emailConsentTimestamp: string | null;
            /**
             * Format: date-time
             * @description When the consent for text messages was recorded last.
             */
            smsConsentTimestamp: string | null;
            /**
             * Format: date-time
             * @description When the consent for web push was recorded last.
             */
            pushConsentTimestamp: string | null;
            /** @description What is known about the address. */
            emailValidationState: components["schemas"]["EmailValidationState"];
            /** @description What else the client stores about the contact, under keys of its own. */
            customProperties: components["schemas"]["JsonObject"];
            /** @description Free texts on the contact; they have nothing to do with the tags of `/public/tags`. */
            tags: string[];
            /** @description How recently, how often and for how much the contact buys; null until a store is connected. */
            rfmTier: components["schemas"]["RfmTier"] | null;
            /** @description A free text for people. */
            notes: string | null;
            /** @description Whether email to the contact is suppressed. */
            emailSuppressed: boolean;
            /** @description Whether text messages to the contact are suppressed. */
            smsSuppressed: boolean;
            /**
             * Format: date-time
             * @description When the contact was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the contact changed last.
             */
            updatedAt: string;
        };
        /** @description What a contact is created with, or changed to. What is not sent is left as it is. */
        ProfileBody: {
            /**
             * Format: email
             * @description The address; stored trimmed and in lower case.
             */
            email?: string;
            /** @description The number; stored in E.164. */
            phone?: string;
            /** @description The first name. */
            firstName?: string;
            /** @description The last name. */
            lastName?: string;
            /** @description The time zone: a name of IANA, or an offset such as `+03:00`; empty for none. */
            timezone?: string;
            /** @description The language. */
            locale?: string;
            /** @description The consent to marketing by email, as it is now. */
            emailConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by text message, as it is now. */
            smsConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by web push, as it is now. */
            pushConsent?: components["schemas"]["ConsentState"];
            /** @description Where the consent for email was given. Written, never shown. */
            emailConsentSource?: string;
            /** @description Where the consent for text messages was given. Written, never shown. */
            smsConsentSource?: string;
            /** @description Where the consent for web push was given. Written, never shown. */
            pushConsentSource?: string;
            /** @description Free texts on the contact; they replace those that it has. */
            tags?: string[];
            /** @description What else the client stores about the contact, under keys of its own. */
            customProperties?: components["schemas"]["JsonObject"];
            /** @description A free text for people; null removes it. */
            notes?: string | null;
        };
        /** @description Profile, in the envelope of every success. */
        ProfileEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Profile"];
        };
        /** @description One page of Profile records. */
        ProfilePage: {
            /** @description The records of the page. */
            items: components["schemas"]["Profile"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description ProfilePage, in the envelope of every success. */
        ProfilePageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ProfilePage"];
        };
        /** @description The keys that pushes to the browser are encrypted with (RFC 8291). */
        PushKeys: {
            /** @description The public key of the browser, as base64url. */
            p256dh: string;
            /** @description The secret of the subscription, as base64url. */
            auth: string;
        };
        /** @description The key that browsers subscribe to web push with. */
        PushPublicKey: {
            /** @description The VAPID public key as base64url, or null where there is none. */
            publicKey: string | null;
            /** @description Whether pushes can be delivered; else registrations are recorded only. */
            enabled: boolean;
        };
        /** @description PushPublicKey, in the envelope of every success. */
        PushPublicKeyEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PushPublicKey"];
        };
        /** @description A browser that pushes can be sent to. */
        PushSubscription: {
            /**
             * Format: uuid
             * @description The UUID of the subscription.
             */
            id: string;
            /**
             * Format: uuid
             * @description The UUID of the profile that the browser belongs to.
             */
            profileId: string;
            /** @description The SHA-256 of the endpoint in hex. */
            endpointHash: string;
            /** @description The label of the browser, or null. */
            browser: string | null;
            /** @description The label of the platform, or null. */
            platform: string | null;
            /**
             * Format: date-time
             * @description When the browser was registered first.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the browser was registered last.
             */
            lastSeenAt: string;
            /**
             * Format: date-time
             * @description When the subscription ended, or null.
             */
            revokedAt: string | null;
            /** @description Why the subscription ended, or null. */
            revokeReason: string | null;
        };
        /** @description PushSubscription, in the envelope of every success. */
        PushSubscriptionEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PushSubscription"];
        };
        /** @description A browser that subscribed to web push, and whose it is. */
        RegisterPushBody: {
            /**
             * Format: uuid
             * @description The UUID of the profile that the browser belongs to.
             */
            profileId: string;
            /** @description The URL of the push service, as the browser says it. */
            endpoint: string;
            /** @description The keys of the subscription, as the browser says them. */
            keys: components["schemas"]["PushKeys"];
            /** @description The user agent of the browser; never returned. */
            userAgent?: string;
            /** @description A label for the browser. */
            browser?: string;
            /** @description A label for the platform. */
            platform?: string;
        };
        /** @description Contacts to take off a list; at least one. */
        RemoveMembersBody: {
            /** @description One address. */
            email?: string;
            /** @description Addresses; unknown ones are skipped. */
            emails?: string[];
            /** @description UUIDs of contacts. */
            contactIds?: string[];
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        ReviewDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["ReviewEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["ReviewEventData"];
        };
        /** @description A review, a question or an answer. What the vendor left out is null. */
        ReviewEventData: {
            /** @description The vendor of the reviews. */
            vendor: string | null;
            /** @description The rating. */
            rating: number | null;
            /** @description The id of the product. */
            productId: string | null;
            /** @description Whether it is published; false where the vendor left it out. */
            published: boolean;
            /** @description The id of the order. */
            orderId: string | null;
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        ReviewEventName: "review.request_ready" | "review.submitted" | "review.question" | "review.answer";
        /**
         * @description How recently, how often and for how much a contact buys.
         * @enum {string}
         */
        RfmTier: "champions" | "loyal" | "potential_loyalist" | "new" | "promising" | "needs_attention" | "about_to_sleep" | "at_risk" | "cannot_lose" | "hibernating" | "lost";
        /** @description A transactional email to one person: with a content of its own, or made from a template. */
        SendEmailBody: {
            /**
             * Format: email
             * @description The address of the recipient, trimmed and lower-cased before the look-up; `to` or `contactId` is needed. An unknown one makes a contact.
             */
            to?: string;
            /**
             * Format: uuid
             * @description The UUID of an existing contact; wins over `to` where both are sent.
             */
            contactId?: string;
            /**
             * Format: email
             * @description The sender: a verified address on a verified domain of the workspace.
             */
            fromEmail: string;
            /** @description The name of the sender; with a template it falls back to the one of the template. */
            fromName?: string;
            /**
             * Format: email
             * @description Where answers go; it need not be verified.
             */
            replyTo?: string;
            /** @description `manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused. */
            contentMode?: components["schemas"]["ContentMode"];
            /** @description The subject; needed without a template, ignored with one. */
            subject?: string;
            /** @description The content as HTML; needed without a template, ignored with one. */
            html?: string;
            /** @description The content as plain text; ignored with a template. */
            text?: string;
            /**
             * Format: uuid
             * @description The UUID of an email template of the workspace.
             */
            templateId?: string;
            /** @description Values for `{{key}}` in the template: flat, each a string, number, boolean or null. */
            templateFields?: components["schemas"]["JsonObject"];
        };
        /** @description A one-time passcode to a mobile number. */
        SendOtpBody: {
            /** @description An Israeli mobile number; blanks, hyphens, parentheses and dots are ignored, and a leading `00` is `+`. */
            phone: string;
            /** @description `sms` unless it says `voice`, which reads the digits aloud. */
            channel?: components["schemas"]["OtpChannel"];
            /** @description The text, which must hold `{{code}}`; else it is `Your verification code is {{code}}`. */
            message?: string;
            /** @description One of the active sender IDs of the workspace, in any case. */
            senderId?: string;
        };
        /** @description A transactional text message to one person: with a content of its own, or made from a template. */
        SendSmsBody: {
            /** @description The number of the recipient, in E.164; `to` or `contactId` is needed. */
            to?: string;
            /**
             * Format: uuid
             * @description The UUID of an existing contact; wins over `to` where both are sent.
             */
            contactId?: string;
            /** @description One of the active sender IDs of the workspace, in any case. There is no default. */
            senderId: string;
            /** @description `manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused. */
            contentMode?: components["schemas"]["ContentMode"];
            /** @description The text; needed without a template, ignored with one. One credit pays for 268 billable characters. */
            body?: string;
            /**
             * Format: uuid
             * @description The UUID of an SMS template of the workspace.
             */
            templateId?: string;
            /** @description Values for `{{key}}` in the template: flat, each a string, number, boolean or null. */
            templateFields?: components["schemas"]["JsonObject"];
        };
        /** @description An address that may be sent from: its domain and its inbox are verified. */
        SenderAddressOption: {
            /** @description The address: the `fromEmail` of a send. */
            value: string;
            /** @description `Name <address>` where a name is set, else the address. */
            label: string;
            /** @description The name of the sender, or null. */
            fromName: string | null;
        };
        /** @description One page of SenderAddressOption records. */
        SenderAddressOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["SenderAddressOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description SenderAddressOptionPage, in the envelope of every success. */
        SenderAddressOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SenderAddressOptionPage"];
        };
        /** @description A text message that was delivered. */
        SmsDeliveredData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
            /** @description The id that the provider gave the message, or null. */
            providerMessageId: string | null;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        SmsDeliveredDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["SmsDeliveredEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["SmsDeliveredData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        SmsDeliveredEventName: "sms.delivered";
        /** @description A text message that failed. */
        SmsFailedData: {
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description What the message was sent by. */
            channel: string;
            /**
             * Format: uuid
             * @description The UUID of the message.
             */
            messageId: string;
            /** @description The id that the provider gave the message, or null. */
            providerMessageId: string | null;
            /** @description Why, as `failureReason` of the message says. */
            reason: string;
        };
        /** @description The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
        SmsFailedDelivery: {
            /** @description The name of the event. */
            event: components["schemas"]["SmsFailedEventName"];
            /**
             * Format: uuid
             * @description The UUID of the delivery, the same at every attempt.
             */
            deliveryId: string;
            /** @description What happened. */
            data: components["schemas"]["SmsFailedData"];
        };
        /**
         * @description The names of the events of this group.
         * @enum {string}
         */
        SmsFailedEventName: "sms.failed";
        /** @description An SMS sender ID that is approved and active. */
        SmsSenderIdOption: {
            /** @description The sender ID: the `senderId` of a send. */
            value: string;
            /** @description The same as `value`. */
            label: string;
        };
        /** @description One page of SmsSenderIdOption records. */
        SmsSenderIdOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["SmsSenderIdOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description SmsSenderIdOptionPage, in the envelope of every success. */
        SmsSenderIdOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SmsSenderIdOptionPage"];
        };
        /** @description An event of a connected store, of reviews or of a loyalty programme. */
        StoreEventBody: {
            /** @description One of the built-in names of these events, such as `order.completed`. */
            event: string;
            /**
             * Format: uuid
             * @description The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made.
             */
            contactId?: string;
            /**
             * Format: email
             * @description The address by which the contact is found or made.
             */
            email?: string;
            /** @description The number by which the contact is found or made. */
            phone?: string;
            /** @description When it happened, in ISO 8601; now, where it is left out. */
            occurredAt?: string;
            /** @description The keys of the group of the event, and no others. */
            data?: components["schemas"]["JsonObject"];
        };
        /** @description What a visitor filled into an embedded form. */
        SubscribeBody: {
            /**
             * Format: email
             * @description The address of the visitor.
             */
            email: string;
            /** @description The number of the visitor. */
            phone?: string;
            /** @description A label that the page chose for its form. It is no security boundary. */
            formId?: string;
            /** @description The other fields: keys that a profile has go to it, every other one to its custom properties. */
            fields?: components["schemas"]["JsonObject"];
            /** @description The page that the form is on. */
            sourceUrl?: string;
        };
        /** @description A sign-up that was taken. */
        Subscribed: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            ok: true;
            /**
             * Format: uuid
             * @description The UUID of the contact.
             */
            contactId: string;
            /** @description Whether the sign-up made the contact. */
            isNew: boolean;
            /**
             * @description Only there, and true, where the owner of the address is asked to confirm first.
             * @enum {boolean}
             */
            pending?: true;
        };
        /** @description Subscribed, in the envelope of every success. */
        SubscribedEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Subscribed"];
        };
        /** @description A label for campaigns, flows, templates and lists. */
        Tag: {
            /**
             * Format: uuid
             * @description The UUID of the tag.
             */
            id: string;
            /** @description The name, unique in the workspace. */
            name: string;
            /** @description The colour, or null. */
            color: components["schemas"]["TagColor"] | null;
            /**
             * Format: date-time
             * @description When the tag was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the tag changed last.
             */
            updatedAt: string;
        };
        /**
         * @description The colour of a tag.
         * @enum {string}
         */
        TagColor: "neutral" | "primary" | "accent" | "warn" | "danger" | "info" | "violet";
        /** @description Tag, in the envelope of every success. */
        TagEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Tag"];
        };
        /** @description A tag, as an entry of a picker. */
        TagOption: {
            /** @description The name of the tag. */
            value: string;
            /** @description The same as `value`. */
            label: string;
            /**
             * Format: uuid
             * @description The UUID of the tag.
             */
            id: string;
            /** @description The colour, or null. */
            color: components["schemas"]["TagColor"] | null;
        };
        /** @description One page of TagOption records. */
        TagOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["TagOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description TagOptionPage, in the envelope of every success. */
        TagOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["TagOptionPage"];
        };
        /**
         * @description What a template is for.
         * @enum {string}
         */
        TemplateChannel: "email" | "sms" | "push";
        /** @description A template of the library of the workspace, as an entry of a picker. */
        TemplateOption: {
            /**
             * Format: uuid
             * @description The UUID of the template: the `templateId` of a send.
             */
            value: string;
            /** @description The name of the template. */
            label: string;
            /** @description What the template is for. */
            channel: components["schemas"]["TemplateChannel"];
            /** @description The keys of the merge tags that the template holds, sorted, each once. */
            mergeFields: string[];
        };
        /** @description One page of TemplateOption records. */
        TemplateOptionPage: {
            /** @description The records of the page. */
            items: components["schemas"]["TemplateOption"][];
            /** @description The limit that was applied. */
            limit: number;
            /** @description The offset that was applied. */
            offset: number;
            /** @description How many records match, whatever the limit and the offset. */
            total: number;
            /** @description Whether records follow this page. */
            has_more: boolean;
            /** @description The offset of the next page as text; null on the last page. */
            next_cursor: string | null;
        };
        /** @description TemplateOptionPage, in the envelope of every success. */
        TemplateOptionPageEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["TemplateOptionPage"];
        };
        /** @description A workspace. */
        Tenant: {
            /**
             * Format: uuid
             * @description The UUID of the workspace.
             */
            id: string;
            /** @description The public name of the workspace, as `X-Sender-Tenant` takes it. */
            slug: string;
            /** @description The name for people. */
            name: string;
            /** @description The plan. */
            plan: components["schemas"]["Plan"];
            /** @description Whether the workspace may be used. */
            status: components["schemas"]["WorkspaceStatus"];
        };
        /**
         * @description The channel that a contact left.
         * @enum {string}
         */
        UnsubscribedChannel: "email" | "sms" | "push";
        /** @description A contact, found by `email`, else by `phone`, else created; at least one of the two. */
        UpsertProfileBody: {
            /**
             * Format: email
             * @description The address; stored trimmed and in lower case.
             */
            email?: string;
            /** @description The number; stored in E.164. */
            phone?: string;
            /** @description The first name. */
            firstName?: string;
            /** @description The last name. */
            lastName?: string;
            /** @description The time zone: a name of IANA, or an offset such as `+03:00`; empty for none. */
            timezone?: string;
            /** @description The language. */
            locale?: string;
            /** @description The consent to marketing by email, as it is now. */
            emailConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by text message, as it is now. */
            smsConsent?: components["schemas"]["ConsentState"];
            /** @description The consent to marketing by web push, as it is now. */
            pushConsent?: components["schemas"]["ConsentState"];
            /** @description Where the consent for email was given. Written, never shown. */
            emailConsentSource?: string;
            /** @description Where the consent for text messages was given. Written, never shown. */
            smsConsentSource?: string;
            /** @description Where the consent for web push was given. Written, never shown. */
            pushConsentSource?: string;
            /** @description Free texts on the contact; they replace those that it has. */
            tags?: string[];
            /** @description What else the client stores about the contact, under keys of its own. */
            customProperties?: components["schemas"]["JsonObject"];
            /** @description A free text for people; null removes it. */
            notes?: string | null;
        };
        /** @description The code that somebody typed. */
        VerifyOtpBody: {
            /** @description The id that the send answered with. */
            verificationId: string;
            /** @description The six digits, as they were typed. */
            code: string;
        };
        /** @description A URL that events are delivered to. */
        WebhookEndpoint: {
            /**
             * Format: uuid
             * @description The UUID of the endpoint.
             */
            id: string;
            /** @description The label from its creation, or null. */
            label: string | null;
            /** @description Where deliveries go. */
            url: string;
            /** @description The names that the endpoint subscribed; only `*` means every event. */
            events: string[];
            /** @description False while the endpoint is paused. */
            active: boolean;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             */
            createdAt: string;
        };
        /** @description Every endpoint of the workspace, newest first. */
        WebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
        /** @description WebhookEndpoints, in the envelope of every success. */
        WebhookEndpointsEnvelope: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["WebhookEndpoints"];
        };
        /**
         * @description Whether a workspace may be used.
         * @enum {string}
         */
        WorkspaceStatus: "active" | "suspended" | "closed";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "profiles.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 200; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Wins over `page` where both are given. */
                offset?: number;
                /** @description The number of the page, from 1. The answer carries `offset`, never `page`. */
                page?: number;
                /** @description Only contacts that hold this text. */
                search?: string;
                /** @description Only members of this list. */
                segmentId?: string;
                /** @description Only contacts with this consent, on `channel`. */
                consent?: components["schemas"]["ConsentState"];
                /** @description The channel that `consent` is about. */
                channel?: components["schemas"]["ConsentChannel"];
                /** @description `-col`, `col:asc`, `col:desc` or `col`, of `createdAt`, `updatedAt`, `email`, `firstName`, `lastName`. An unknown column is ignored. */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ProfilePage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfilePageEnvelope"];
                };
            };
        };
    };
    "profiles.upsert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A contact, found by `email`, else by `phone`, else created; at least one of the two. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpsertProfileBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What a contact is created with, or changed to. What is not sent is left as it is. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.updateByEmail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A change of the contact that has an address. What is not sent is left as it is. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchByEmailBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        /** @description What a contact is created with, or changed to. What is not sent is left as it is. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.blacklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A contact and a channel; `email` or `contactId` is needed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlacklistBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "profiles.liftBlacklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A contact and a channel; `email` or `contactId` is needed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlacklistBody"];
            };
        };
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "messages.sendEmail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A transactional email to one person: with a content of its own, or made from a template. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendEmailBody"];
            };
        };
        responses: {
            /** @description MessageAccepted, in the envelope of every success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAcceptedEnvelope"];
                };
            };
        };
    };
    "messages.sendSms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A transactional text message to one person: with a content of its own, or made from a template. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSmsBody"];
            };
        };
        responses: {
            /** @description MessageAccepted, in the envelope of every success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAcceptedEnvelope"];
                };
            };
        };
    };
    "otp.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A one-time passcode to a mobile number. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendOtpBody"];
            };
        };
        responses: {
            /** @description OtpSent, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpSentEnvelope"];
                };
            };
        };
    };
    "otp.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The code that somebody typed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyOtpBody"];
            };
        };
        responses: {
            /** @description OtpVerification, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpVerificationEnvelope"];
                };
            };
        };
    };
    "events.ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A custom event: something that a contact did. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestEventBody"];
            };
        };
        responses: {
            /** @description EventIngested, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventIngestedEnvelope"];
                };
            };
        };
    };
    "storeEvents.report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description An event of a connected store, of reviews or of a loyalty programme. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StoreEventBody"];
            };
        };
        responses: {
            /** @description EventIngested, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventIngestedEnvelope"];
                };
            };
        };
    };
    "tags.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description TagOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagOptionPageEnvelope"];
                };
            };
        };
    };
    "tags.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A new tag. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTagBody"];
            };
        };
        responses: {
            /** @description Tag, in the envelope of every success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagEnvelope"];
                };
            };
        };
    };
    "lists.addMembers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Contacts to put on a list; at least one. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddMembersBody"];
            };
        };
        responses: {
            /** @description MembersAdded, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersAddedEnvelope"];
                };
            };
        };
    };
    "lists.removeMembers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Contacts to take off a list; at least one. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveMembersBody"];
            };
        };
        responses: {
            /** @description MembersRemoved, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersRemovedEnvelope"];
                };
            };
        };
    };
    "lists.removeMember": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the list; any other text is 400. */
                id: string;
                /** @description The UUID of the contact; any other text is 400. */
                contactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description MembersCount, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersCountEnvelope"];
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebhookEndpoints, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointsEnvelope"];
                };
            };
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A new webhook endpoint. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            /** @description CreatedWebhookEndpoint, in the envelope of every success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpointEnvelope"];
                };
            };
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "push.register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A browser that subscribed to web push, and whose it is. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterPushBody"];
            };
        };
        responses: {
            /** @description PushSubscription, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionEnvelope"];
                };
            };
        };
    };
    "forms.subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What a visitor filled into an embedded form. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeBody"];
            };
        };
        responses: {
            /** @description Subscribed, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscribedEnvelope"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Me, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeEnvelope"];
                };
            };
        };
    };
    "profiles.lookup": {
        parameters: {
            query: {
                /** @description The address, in any case. */
                email: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Profile, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEnvelope"];
                };
            };
        };
    };
    "messages.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description MessagePage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePageEnvelope"];
                };
            };
        };
    };
    "messages.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Message, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageEnvelope"];
                };
            };
        };
    };
    "templates.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
                /** @description Only templates of this channel. */
                channel?: components["schemas"]["TemplateChannel"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description TemplateOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateOptionPageEnvelope"];
                };
            };
        };
    };
    "templates.mergeFields": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The UUID of the record; any other text is 400. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description MergeFields, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergeFieldsEnvelope"];
                };
            };
        };
    };
    "senderAddresses.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description SenderAddressOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderAddressOptionPageEnvelope"];
                };
            };
        };
    };
    "smsSenderIds.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description SmsSenderIdOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SmsSenderIdOptionPageEnvelope"];
                };
            };
        };
    };
    "customFields.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CustomFieldOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomFieldOptionPageEnvelope"];
                };
            };
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description EventItemPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventItemPageEnvelope"];
                };
            };
        };
    };
    "campaigns.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 200; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Wins over `page` where both are given. */
                offset?: number;
                /** @description The number of the page, from 1. The answer carries `offset`, never `page`. */
                page?: number;
                /** @description Only campaigns in this status. */
                status?: components["schemas"]["CampaignStatus"];
                /** @description Only campaigns of this channel. */
                channel?: components["schemas"]["CampaignChannel"];
                /** @description Only campaigns whose name holds this text, in any case. */
                search?: string;
                /** @description `-col`, `col:asc`, `col:desc` or `col`, of `createdAt`, `updatedAt`, `name`, `scheduleAt`, `sentAt`. An unknown column is ignored. */
                sort?: string;
                /** @description Only campaigns that carry any of these tags: UUIDs with commas between them. */
                tagIds?: string[];
                /** @description Only campaigns in one of these statuses, with commas between them; replaces `status`. */
                statuses?: components["schemas"]["CampaignStatus"][];
                /** @description Only campaigns to this list. */
                segmentId?: string;
                /** @description Only the archived ones (`true` or `1`), or only the others (`false` or `0`). */
                archived?: boolean;
                /** @description Only campaigns with more than one variant (`true` or `1`), or with one (`false` or `0`). */
                multiVariant?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CampaignOptionPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignOptionPageEnvelope"];
                };
            };
        };
    };
    "lists.list": {
        parameters: {
            query?: {
                /** @description How many records a page holds at most, 1 to 100; anything else is 400 and not clamped. */
                limit?: number;
                /** @description How many records come before the page. Pass `next_cursor` of the page before. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ListPage, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPageEnvelope"];
                };
            };
        };
    };
    "push.publicKey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description PushPublicKey, in the envelope of every success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushPublicKeyEnvelope"];
                };
            };
        };
    };
    "deliver.order.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.order.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.order.fulfilled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.order.partially_fulfilled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.order.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.shipment.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.shipment.out_for_delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.shipment.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.checkout.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.cart.abandoned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.contact.unsubscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactUnsubscribedDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.list.subscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.list.unsubscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.campaign.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignSentDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailOpenedDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.clicked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailClickedDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SmsDeliveredDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SmsFailedDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.review.request_ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.review.submitted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.review.question": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.review.answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.loyalty.points_earned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoyaltyDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.loyalty.points_expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoyaltyDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.loyalty.tier_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoyaltyDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.loyalty.redemption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoyaltyDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.loyalty.referral": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoyaltyDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.email.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.sms.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.push.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageOutcomeDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "deliver.custom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomDelivery"];
            };
        };
        responses: {
            /** @description Taken. Any other answer, and one after 10 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
