"""Published studies that are run again, claim by claim. A study is one YAML file in this folder."""
