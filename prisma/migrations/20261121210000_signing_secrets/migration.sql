-- Keys of the Standard Webhooks signature. A webhook that is there already gets one when its owner first asks for it.
ALTER TABLE "webhooks" ADD COLUMN "signing_secret" TEXT,
  ADD COLUMN "previous_signing_secret" TEXT,
  -- Until when the previous one signs, too.
  ADD COLUMN "previous_signs_until" TIMESTAMPTZ(6);
