@rem What the scripts in package.json begin with means nothing to cmd.exe without this.
@%*
