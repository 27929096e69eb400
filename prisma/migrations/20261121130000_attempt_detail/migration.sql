-- What the delivery log shows of an attempt. All of it is absent in attempts that were made before.
ALTER TABLE "attempts"
  ADD COLUMN "kind" TEXT,
  ADD COLUMN "dns_ms" INTEGER,
  ADD COLUMN "connect_ms" INTEGER,
  ADD COLUMN "tls_ms" INTEGER,
  ADD COLUMN "first_byte_ms" INTEGER,
  ADD COLUMN "remote_address" TEXT,
  ADD COLUMN "request_headers" JSON,
  ADD COLUMN "request_body" TEXT,
  ADD COLUMN "response_headers" JSON;

-- The state to which a delivery that is sent again goes back when that fails; null while it follows its schedule.
ALTER TABLE "deliveries" ADD COLUMN "resent_from" "delivery_state";
